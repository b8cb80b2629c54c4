"""Reasoning about loaded rules without an event: contradiction, implication, overlap, shadowing.

Answers are True, False or None (not known). True and False are proved; what rests on the host (hard links, mounts,
labels) is None.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, replace
from auditlint.kernel.constraints import Constraints, join, meaning, same_shape, shape, universe, without_conditions
from auditlint.kernel.implication import implied, left_over, surely_implied
from auditlint.kernel.rule_index import Signature, signature
from auditlint.kernel.satisfy import satisfiable
from auditlint.kernel.storage import store_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.auditctl.model import Rule
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Storage, Stored

__all__ = ["Algebra", "Contradiction"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A rule that no event matches. `fields` are positions of conditions that cannot hold together, as few as
    possible; empty when the rule selects no system call or has no condition where it needs one."""

    stored: Stored
    fields: tuple[int, ...]


class Shape:
    """What rules that differ in path and key only have in common."""

    __slots__ = ("can_match", "meaning", "signature")

    def __init__(self, what: Constraints) -> None:
        self.meaning = what
        self.can_match = satisfiable(what)
        self.signature = signature(what)


class Algebra:
    """The rules of a load with what they mean, computed once each."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.world = universe(storage)
        self._likes: list[Shape | None] = [None] * len(storage.rules)
        self._meanings: list[Constraints | None] = self._likes[:]  # type: ignore[assignment]
        self._shapes: dict[object, Shape] = {}

    def _like(self, stored: Stored) -> Shape:
        """What a rule means but for its path. Most rules of a file differ from others in path and key only: that is
        found once."""
        like = self._likes[stored.index]
        if like is None:
            like = self._likes[stored.index] = self._shape(stored)
        return like

    def _shape(self, stored: Stored) -> Shape:
        key = shape(stored)
        like = self._shapes.get(key)
        if like is None:
            like = self._shapes[key] = Shape(meaning(stored, self.world))
        return like

    def alone(self, rule: Rule) -> tuple[Stored, Constraints, Tristate]:
        """A rule that is not among these: where it would be kept, its meaning, and whether some event matches it."""
        stored = store_one(rule, self.storage.target, self.storage.facts)
        like = self._shape(stored)
        return stored, same_shape(like.meaning, stored), like.can_match

    def meaning(self, stored: Stored) -> Constraints:
        """The conditions of a rule by kind."""
        known = self._meanings[stored.index]
        if known is None:
            known = self._meanings[stored.index] = same_shape(self._like(stored).meaning, stored)
        return known

    def signature(self, stored: Stored) -> Signature:
        """What a search for rules that take its events goes by."""
        return self._like(stored).signature

    def can_match(self, stored: Stored) -> Tristate:
        """Whether some event matches the rule by itself; False is a contradiction."""
        return self._like(stored).can_match

    def unconditional(self, stored: Stored) -> Tristate:
        """Whether the rule matches every event of its system calls (on lists without those: every event)."""
        found = self.meaning(stored)
        return implied(replace(without_conditions(found), selection=found.selection), found)

    def contradictions(self) -> Iterator[Contradiction]:
        """The rules that no event can match, with the conditions to blame."""
        for stored in self.storage.rules:
            found = self.contradiction(stored)
            if found is not None:
                yield found

    def contradiction(self, stored: Stored) -> Contradiction | None:
        """The conditions to blame when no event can match the rule, else None."""
        return Contradiction(stored, self._blame(stored)) if self.can_match(stored) is False else None

    def _blame(self, stored: Stored) -> tuple[int, ...]:
        """Conditions that still contradict when each that changes nothing is left out."""
        kept = list(range(len(stored.rule.fields)))
        for number in reversed(range(len(stored.rule.fields))):
            fewer = [other for other in kept if other != number]
            if satisfiable(meaning(_with_fields(stored, fewer), self.world)) is False:
                kept = fewer
        return tuple(kept)

    def implies(self, left: Stored, right: Stored) -> Tristate:
        """Whether every event that matches `left` also matches `right`; key and action do not count."""
        if left.rule.list != right.rule.list:
            return False
        return implied(self.meaning(left), self.meaning(right))

    def overlap(self, left: Stored, right: Stored) -> Tristate:
        """Whether some event matches both rules."""
        if left.rule.list != right.rule.list:
            return False
        one, two = self.meaning(left), self.meaning(right)
        if not any(mask & two.selection.get(arch, 0) for arch, mask in one.selection.items()):
            return False
        return satisfiable(join(one, two))

    def takes_common(self, first: Stored, left: Stored, right: Stored) -> bool:
        """Whether `first` surely matches every event that matches both other rules."""
        theirs = self.meaning(first)
        if theirs.objects and first.hashed:
            # It asks one object for all of it; the two may speak of different ones.
            return False
        ours = join(self.meaning(left), self.meaning(right))
        return not left_over(ours, theirs) and surely_implied(ours, theirs)


def _with_fields(stored: Stored, numbers: Sequence[int]) -> Stored:
    rule = stored.rule
    return replace(stored, rule=replace(rule, fields=tuple(rule.fields[number] for number in numbers)))
