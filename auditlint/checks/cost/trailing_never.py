"""AL509: a never rule after which the walk has nothing left to skip."""

from __future__ import annotations

from auditlint.analysis.cost_rules import every_call
from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    storage = context.storage
    for stored in reversed(storage.exit):
        if stored.rule.action != "never":
            return
        if stored.entry is None:
            continue
        later = sum(other.prio < stored.prio for other in storage.hashed)
        amounts = context.advisor.amounts(stored)
        words = (
            f"{max(amounts.values()):,.0f} instructions"
            if every_call(stored)
            else f"{min(amounts.values()):,.0f} instructions or more"
        )
        hashed = f"; the rules on files ({later}) are tested all the same" if later else ""
        yield Hit(
            at_line(stored.entry),
            f"costs every call {words} and saves nothing: no rule of the exit list comes after it{hashed}",
        )
