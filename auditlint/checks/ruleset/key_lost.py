"""AL310: a rule without a key that wins over a rule with one."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import name
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored

_MOST_LOOKED_AT = 200_000


def check(context: RulesContext) -> Hits:
    for winner, loser, more in _pairs(context):
        key = (loser.rule.key or "").replace("\x01", ", ")
        if winner.hashed and not loser.hashed:
            message = f"has no key, so events that {name(context, loser)} also matches carry its key {key}"
        else:
            message = f"events that {name(context, loser)} also matches lose its key {key}: this rule has no key"
        if more:
            message += f"; so do {more} more rules" if more > 1 else "; so does 1 more rule"
        yield Hit(at_line(entry_of(winner)), message, related(context, (loser,), "its key"))


def _pairs(context: RulesContext) -> Iterator[tuple[Stored, Stored, int]]:
    """For each rule with a key, the first rule without a key that wins over it, and how many more do."""
    from auditlint.kernel.shadow import decision_order

    algebra = context.algebra
    dead = {shadow.stored.index for shadow in context.shadows}
    budget = _MOST_LOOKED_AT
    chain = [stored for stored in decision_order(algebra.storage, "exit") if stored.rule.action == "always"]
    keyed = [stored for stored in chain if stored.rule.key is not None and stored.index not in dead]
    winners: dict[int, list[Stored]] = {}
    for stored in chain:
        if stored.rule.key is not None or stored.index in dead or not own(context, stored):
            continue
        later = [other for other in keyed if other.prio < stored.prio]
        budget -= len(later)
        if budget < 0:
            break
        other = _sharing(algebra, stored, later)
        if other is not None:
            winners.setdefault(other.index, []).append(stored)
    for index, rules in winners.items():
        yield rules[0], algebra.storage.rules[index], len(rules) - 1


def _sharing(algebra: Algebra, stored: Stored, rules: Sequence[Stored]) -> Stored | None:
    """The first rule that surely matches an event of the other."""
    for other in rules:
        if other.mask & stored.mask and algebra.overlap(stored, other):
            return other
    return None
