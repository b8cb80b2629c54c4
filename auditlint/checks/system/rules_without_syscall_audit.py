"""AL872: rules for system calls, files or tasks for a kernel without CONFIG_AUDITSYSCALL."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    config = context.config
    if config is None or not config.on("AUDIT") or config.on("AUDITSYSCALL"):
        return
    for rules, found in context.rules_on("exit", "task", "io_uring"):
        refused = "the kernel refuses it with EINVAL"
        if not any(rules.options("-i", "-c")):
            refused += " and the load stops there"
        yield Hit(
            at_line(found[0][1]),
            f"{len(found)} of {len(rules.rules)} rules are for system calls, files or tasks, and this kernel "
            f"({config.where}) has no CONFIG_AUDITSYSCALL: {refused}",
            (config.at("AUDITSYSCALL", config.why("AUDITSYSCALL")),),
        )
