"""AL881: rules in an image that has no program to load them."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    user_space = context.user_space
    if user_space is None or not user_space.whole or context.programs("loads") is not False:
        return
    for rules in context.rules:
        if rules.rules:
            count = len(rules.rules)
            lost = "the rule is never loaded" if count == 1 else f"none of the {count} rules is ever loaded"
            yield Hit(
                at_line(rules.rules[0][1]),
                f"{lost}: the image has neither auditctl nor augenrules; install the audit package",
            )
            return
