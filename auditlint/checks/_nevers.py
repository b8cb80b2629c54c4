"""`never` rules behind `always` rules that match the same events: what they still silence."""

from __future__ import annotations

from auditlint.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored
    from auditlint.subjects import RulesSubject

_MOST_LOOKED_AT = 400_000
"""Rules looked at in all; a file made to compare all pairs must not keep us for long."""
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class LateNever:
    """A `never` rule and the `always` rules in front of it that record some of its events. `dead`: they, or no
    `always` rule behind it, leave it anything to silence."""

    stored: Stored
    recorded_by: tuple[Stored, ...]
    dead: bool


def late_nevers(subject: RulesSubject) -> Iterator[LateNever]:
    """The `never` rules of the exit, io_uring and task lists with an `always` rule in front that surely shares events."""
    from auditlint.kernel.shadow import decision_order

    algebra = subject.algebra
    shadowed = {shadow.stored.index: shadow for shadow in subject.shadows}
    budget = [_MOST_LOOKED_AT]
    for name in ("exit", "io_uring", "task"):
        chain = decision_order(algebra.storage, name)
        for at, stored in enumerate(chain):
            if stored.rule.action != "never" or algebra.can_match(stored) is False:
                continue
            shadow = shadowed.get(stored.index)
            if shadow is not None:
                always = tuple(by for by in shadow.by if by.rule.action == "always")
                if always:
                    yield LateNever(stored, always, True)
                continue
            first = tuple(_sharing(algebra, stored, chain[:at], budget))
            if first:
                yield LateNever(stored, first, not _silences(algebra, stored, first, chain[at + 1 :], budget))


def _sharing(algebra: Algebra, never: Stored, rules: Sequence[Stored], budget: list[int]) -> Iterator[Stored]:
    """The first few `always` rules that surely match an event of the `never` rule."""
    found = 0
    for other in rules:
        budget[0] -= 1
        if budget[0] < 0 or found == _MOST_NAMED:
            return
        if other.rule.action == "always" and other.mask & never.mask and algebra.overlap(never, other):
            found += 1
            yield other


def _silences(
    algebra: Algebra, never: Stored, first: Sequence[Stored], behind: Sequence[Stored], budget: list[int]
) -> bool:
    """May some event of an `always` rule behind it reach the `never` rule?"""
    for other in behind:
        budget[0] -= 1
        if budget[0] < 0:
            return True
        if other.rule.action != "always" or not other.mask & never.mask or algebra.overlap(never, other) is False:
            continue
        if not any(algebra.takes_common(always, never, other) for always in first):
            return True
    return False
