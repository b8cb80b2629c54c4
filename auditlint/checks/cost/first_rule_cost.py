"""AL505: what the first rule costs before any rule is compared."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.cost.advice import share
from auditlint.cost.prices import prices

_NAMED = ("getppid", "open")
_WEIGHED = ("getppid", "access_fail", "stat", "open", "creat_unlink")


def check(context: RulesContext) -> Hits:
    storage = context.storage
    counted = [stored for stored in (*storage.task, *storage.exit, *storage.hashed, *storage.uring) if stored.entry]
    if not counted:
        return
    first = min(counted, key=lambda stored: stored.index)
    bases = prices(context.target).bases
    words = " and ".join(share(name, bases[name].first - bases[name].on, bases) for name in _NAMED)
    assert first.entry is not None
    yield Hit(
        at_line(first.entry),
        f"the first rule costs {words}, before any rule is compared",
        weight=sum(bases[name].first - bases[name].on for name in _WEIGHED),
    )
