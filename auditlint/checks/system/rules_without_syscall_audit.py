"""AL872: rules for system calls, files or tasks for a kernel without CONFIG_AUDITSYSCALL."""

from __future__ import annotations

from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.system import SystemContext


def check(context: SystemContext) -> Iterator[Hit]:
    config = context.config
    if config is None or not config.on("AUDIT") or config.on("AUDITSYSCALL"):
        return
    for rules, refused in context.rules_on("exit", "task", "io_uring"):
        stops = "" if any(rules.options("-i", "-c")) else " and the load stops here"
        yield Hit(
            at_line(refused[0][1]),
            f"the kernel refuses {len(refused)} of {len(rules.rules)} rules (EINVAL){stops}: {config.where} has no "
            "CONFIG_AUDITSYSCALL",
            (config.at("AUDITSYSCALL", config.why("AUDITSYSCALL")),),
        )
