"""AL505: what the first rule costs before any rule is compared."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.cost.prices import prices

_NAMED = ("getppid", "access_fail", "stat", "open", "creat_unlink")


def check(context: RulesContext) -> Hits:
    storage = context.storage
    counted = [stored for stored in (*storage.task, *storage.exit, *storage.hashed, *storage.uring) if stored.entry]
    if not counted:
        return
    first = min(counted, key=lambda stored: stored.index)
    bases = prices(context.target).bases
    words = ", ".join(f"{bases[name].first - bases[name].on:,.0f} at {name}" for name in _NAMED)
    assert first.entry is not None
    yield Hit(
        at_line(first.entry),
        f"the first rule makes every task fill its audit context and collect path names: {words} instructions, before "
        "any rule is compared",
        weight=sum(bases[name].first - bases[name].on for name in _NAMED),
    )
