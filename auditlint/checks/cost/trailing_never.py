"""AL509: a never rule at the end of the exit list, which shortens no walk."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, every_call
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
            else f"{min(amounts.values()):,.0f} or more"
        )
        hashed = f"; {count(later, 'rule')} on files are tested anyway" if later else ""
        yield Hit(
            at_line(stored.entry),
            f"costs every call {words} and saves nothing: no exit rule comes after it{hashed}",
        )
