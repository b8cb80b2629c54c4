"""AL505: the cost of the first rule, before any rule is compared."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.cost.advice import share, spoken
from auditlint.cost.prices import prices

_NAMED = ("getppid", "open")


def check(context: RulesContext) -> Hits:
    storage = context.storage
    counted = [stored for stored in (*storage.task, *storage.exit, *storage.hashed, *storage.uring) if stored.entry]
    if not counted:
        return
    first = min(counted, key=lambda stored: stored.index)
    bases = prices(context.target).bases
    added = {name: bases[name].first - bases[name].on for name in _NAMED}
    words = ", ".join(
        f"{share(amount, bases[name].off)} of {spoken(name)} ({amount:,.0f} instructions)"
        for name, amount in added.items()
    )
    assert first.entry is not None
    yield Hit(
        at_line(first.entry),
        f"the first rule alone costs every task {words}, before any rule is compared",
        weight=sum(added.values()),
        saved=added,
    )
