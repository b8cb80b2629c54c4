"""`never` rules after `always` rules that match the same events: what they still silence."""

from __future__ import annotations

from bisect import bisect_left

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.context.rules import RulesContext
    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored

_MOST_COMPARED = 6_000
_COMPARED_PER_RULE = 16
"""Comparisons of two rules: in all, and more for each rule; a hostile file must not take long."""
_MOST_NAMED = 2


@dataclass(frozen=True, slots=True)
class LateNever:
    """A `never` rule and the `always` rules before it that record some of its events. `dead`: it silences nothing,
    because they take all its events, or no later `always` rule would record one."""

    stored: Stored
    recorded_by: tuple[Stored, ...]
    dead: bool


def late_nevers(context: RulesContext) -> list[LateNever]:
    """The `never` rules of the exit, io_uring and task lists with an `always` rule before them that surely shares
    events."""
    return list(_late_nevers(context))


def _late_nevers(context: RulesContext) -> Iterator[LateNever]:
    from auditlint.kernel.shadow import decision_order

    algebra = context.algebra
    shadowed = {shadow.stored.index: shadow for shadow in context.shadows}
    for name in ("exit", "io_uring", "task"):
        chain = decision_order(algebra.storage, name)
        if all(stored.rule.action != "never" for stored in chain):
            continue
        recorders = _Recorders(algebra, chain)
        for at, stored in enumerate(chain):
            if stored.rule.action != "never" or algebra.can_match(stored) is False:
                continue
            shadow = shadowed.get(stored.index)
            if shadow is not None:
                always = tuple(by for by in shadow.by if by.rule.action == "always")
                if always:
                    yield LateNever(stored, always, True)
                continue
            first = recorders.in_front(at)
            if first:
                yield LateNever(stored, first, not recorders.left_to(at, first))


class _Recorders:
    """The `always` rules of a list by the system calls they select: few kinds, however many rules."""

    def __init__(self, algebra: Algebra, chain: Sequence[Stored]) -> None:
        self.algebra = algebra
        self.chain = chain
        self.compared = 0
        self.most_compared = _MOST_COMPARED + _COMPARED_PER_RULE * len(chain)
        groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
        self._on_path: dict[str, list[int]] = {}
        for at, stored in enumerate(chain):
            if stored.rule.action == "always":
                if stored.path is not None:
                    self._on_path.setdefault(stored.path, []).append(at)
                groups.setdefault(tuple(algebra.meaning(stored).selection.items()), []).append(at)
        self._known: dict[tuple[tuple[int, int], ...], list[list[int]]] = {}
        self.groups = [(dict(calls), places) for calls, places in groups.items()]

    def _fitting(self, at: int) -> list[list[int]]:
        """The places of the rules that select a system call of the rule at that place, one list for each group."""
        ours = self.algebra.meaning(self.chain[at]).selection
        key = tuple(ours.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = [
                places for calls, places in self.groups if any(mask & ours.get(arch, 0) for arch, mask in calls.items())
            ]
        return found

    def _overlap(self, at: int, other: int) -> bool | None:
        self.compared += 1
        return self.algebra.overlap(self.chain[at], self.chain[other])

    def in_front(self, at: int) -> tuple[Stored, ...]:
        """A few in front that surely match an event of the `never` rule; those on the same path tell most."""
        found: list[int] = []
        path = self.chain[at].path
        for other in self._on_path.get(path, ()) if path is not None else ():
            if other < at and self._overlap(at, other):
                found.append(other)
            if len(found) >= _MOST_NAMED or self.compared >= self.most_compared:
                return tuple(self.chain[other] for other in found)
        for places in self._fitting(at):
            for other in places[: min(bisect_left(places, at), _MOST_NAMED)]:
                if other not in found and self._overlap(at, other):
                    found.append(other)
            if len(found) >= _MOST_NAMED or self.compared >= self.most_compared:
                break
        return tuple(self.chain[other] for other in sorted(found))

    def left_to(self, at: int, first: Sequence[Stored]) -> bool:
        """May some event of an `always` rule behind it reach the `never` rule?"""
        never = self.chain[at]
        for places in self._fitting(at):
            for other in places[bisect_left(places, at) :]:
                if self.compared >= self.most_compared:
                    return True
                if self._overlap(at, other) is False:
                    continue
                if not any(self.algebra.takes_common(always, never, self.chain[other]) for always in first):
                    return True
        return False
