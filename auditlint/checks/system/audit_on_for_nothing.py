"""AL875: audit is forced on, and there are neither rules nor programs that make use of it."""

from __future__ import annotations

from auditlint.bootargs.audit_parameters import switches
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.system import TogetherSubject


def check(subject: TogetherSubject) -> Iterator[Hit]:
    if subject.rule_count or subject.programs("loads") is not False or subject.settings.policy == "audit":
        return
    if subject.config is not None and not subject.config.on("AUDIT"):
        return
    read = subject.programs("reads") is not False
    for cmdline in subject.cmdlines:
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
