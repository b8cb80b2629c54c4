"""AL875: audit is forced on, and there are neither rules nor programs that make use of it."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import switches
from auditlint.checks.api import Hit, Hits, SystemContext


def check(context: SystemContext) -> Hits:
    if context.rule_count or context.programs("loads") is not False or context.settings.policy == "audit":
        return
    if context.config is not None and not context.config.on("AUDIT"):
        return
    read = context.programs("reads") is not False
    for cmdline in context.cmdlines:
        for line in cmdline.lines:
            found = switches(line, cmdline)
            if not found or not all(each.on for each in found):
                continue
            yield Hit(
                found[-1].parameter.location(),
                "audit is forced on, and the image has no rules and no program that loads any: every system call pays "
                + (
                    "for records that only security modules and programs cause"
                    if read
                    else "and nothing reads a record"
                ),
                severity="advice" if read else "warning",
            )
