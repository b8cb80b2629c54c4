"""AL901: a rule without a key."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    for name in ("exit", "io_uring"):
        for rule, entry in context.on_list(name):
            if rule.action == "always" and rule.key is None:
                yield Hit(
                    at_line(entry),
                    "its events do not show which rule recorded them, because it has no key; add -k NAME",
                )
