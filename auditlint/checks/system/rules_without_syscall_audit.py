"""AL872: rules for system calls, files or tasks for a kernel without CONFIG_AUDITSYSCALL."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
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
