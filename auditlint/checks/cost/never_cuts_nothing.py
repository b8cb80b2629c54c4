"""AL509: a never rule behind which the walk has nothing left to skip."""

from __future__ import annotations

from auditlint.analysis.cost_rules import every_call
from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    storage = context.storage
    for stored in reversed(storage.exit):
        if stored.rule.action != "never":
            return
        if stored.entry is None:
            continue
        behind = sum(other.prio < stored.prio for other in storage.hashed)
        amounts = context.advisor.amounts(stored)
        words = (
            f"{max(amounts.values()):,.0f} instructions"
            if every_call(stored)
            else f"{min(amounts.values()):,.0f} or more"
        )
        hashed = f"; rules in the inode hash ({behind}) are met all the same" if behind else ""
        yield Hit(
            at_line(stored.entry),
            f"no rule of the exit list stands behind it, so it cuts no walk short and costs every call {words}{hashed}",
        )
