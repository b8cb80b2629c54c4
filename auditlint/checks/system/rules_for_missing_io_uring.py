"""AL874: rules on the io_uring list for a kernel without io_uring."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    config = context.config
    if config is None or not config.on("AUDITSYSCALL") or context.symbol("IO_URING") is not False:
        return
    for _, rules in context.rules_on("io_uring"):
        subject = "this rule never matches" if len(rules) == 1 else f"this and {len(rules) - 1} more rules never match"
        yield Hit(
            at_line(rules[0][1]),
            f"{subject}: {config.where} has no CONFIG_IO_URING",
            (config.at("IO_URING"),),
        )
