"""AL875: audit is forced on, and neither rules nor programs use it."""

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
            given = switches(line, cmdline)
            if not given or not all(switch.on for switch in given):
                continue
            yield Hit(
                given[-1].parameter.location(),
                "every system call pays for audit, but the image loads no rules"
                + ("; only security modules and programs cause records" if read else " and nothing reads records")
                + "; remove this word",
                severity="advice" if read else "warning",
            )
