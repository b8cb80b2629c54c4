"""AL871: rules for a kernel without CONFIG_AUDIT."""

from __future__ import annotations

from auditlint.analysis.load_summary import load_summary
from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    config = context.config
    if config is None or config.on("AUDIT"):
        return
    if not context.rule_count:
        return
    count = sum(rules.get(load_summary).rules for rules in context.rules)
    related = tuple(at_line(rules.rules[0][1], "the first of them") for rules in context.rules if rules.rules)
    subject = "the rule cannot" if count == 1 else f"none of the {count} rules can"
    yield Hit(
        config.at("AUDIT"),
        f"{subject} be loaded: {config.where} has no CONFIG_AUDIT ({config.why('AUDIT')})",
        related,
    )
