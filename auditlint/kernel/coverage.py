"""Which `always` rules record given events: whether other rules make up for what one rule leaves out."""

from __future__ import annotations

from functools import cached_property

from auditlint.core.frozen import replace
from auditlint.kernel.implication import implied
from auditlint.kernel.rule_index import RuleIndex, signature, with_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.constraints import Constraints
    from auditlint.kernel.rule_index import Anchor
    from auditlint.kernel.storage import Stored

    Place: TypeAlias = tuple[str, str]

ARGUMENTS = frozenset(("a0", "a1", "a2", "a3"))
_FEW_CALLS = 64
_MOST_COMPARED = 5_000
_COMPARED_PER_RULE = 16
"""Comparisons to see what was thought of: in all, and more for each rule, so that a larger set is judged alike."""


class _Group:
    """Rules with the same conditions: one of them, the system calls of all by ABI, and of those the ones that a rule
    names which is not for nearly every call."""

    __slots__ = ("anchors", "calls", "chosen", "like")

    def __init__(self, like: Constraints, anchors: Sequence[Anchor]) -> None:
        self.like = like
        self.anchors = anchors
        self.calls = like.selection
        self.chosen = _few(like.selection)

    def add(self, more: Mapping[int, int]) -> None:
        self.calls = _together(self.calls, more)
        self.chosen = _together(self.chosen, _few(more))


def _few(calls: Mapping[int, int]) -> Mapping[int, int]:
    if all(mask.bit_count() <= _FEW_CALLS for mask in calls.values()):
        return calls
    return {arch: mask for arch, mask in calls.items() if mask.bit_count() <= _FEW_CALLS}


def _together(left: Mapping[int, int], right: Mapping[int, int]) -> Mapping[int, int]:
    return {arch: left.get(arch, 0) | right.get(arch, 0) for arch in {**left, **right}}


class Coverage:
    """The `always` rules of the exit list and the inode hash. `never` rules do not count: an exception is not a gap."""

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra
        self._filed = RuleIndex()
        self._groups: dict[object, _Group] = {}
        self._left = _MOST_COMPARED + _COMPARED_PER_RULE * len(algebra.storage.rules)
        for stored in algebra.storage.rules:
            if stored.rule.list != "exit" or stored.rule.action != "always" or algebra.can_match(stored) is False:
                continue
            what, kept = algebra.meaning(stored), algebra.signature(stored)
            self._filed.add(stored, what, kept)
            if what.perms and len(what.selection) > 1:
                continue  # a watch: found by its place, and about no call
            key = _conditions(stored)
            group = self._groups.get(key)
            if group is None:
                self._groups[key] = _Group(what, kept.anchors)
            else:
                group.add(what.selection)

    def rest(self, stored: Stored, calls: Mapping[int, int], any_perm: bool = False) -> dict[int, int]:
        """Of these system calls, by ABI, those that no rule surely records under the conditions of a rule; with
        `any_perm` whatever its perm says."""
        same = self._groups.get(_conditions(stored))
        known = same.calls if same is not None else {}
        left = {arch: rest for arch, mask in calls.items() if (rest := mask & ~known.get(arch, 0))}
        if not left:
            return {}
        ours = replace(self._algebra.meaning(stored), selection=left)
        if any_perm:
            ours = replace(ours, perms=())
        found = self._filed.rest(ours, with_calls(self._algebra.signature(stored), left))
        return {} if found is None else found

    def recorders(self, what: Constraints) -> tuple[dict[int, int], tuple[Stored, ...]] | None:
        """The system calls of given events, by ABI, that no rule surely records, and the rules that record the others;
        None when there are too many rules to tell."""
        return self._filed.together(what, signature(what))

    def forgotten(self, stored: Stored, calls: Mapping[int, int], any_argument: bool = False) -> dict[int, int] | None:
        """Of these system calls, which no rule surely records, those of which no rule records even a part of what the
        rule wants; None where that takes too long. The others were thought of: some rule names them, under narrower
        conditions. A watch is no such rule, nor one for all calls. `any_argument`: conditions on arguments, which
        mean another thing for another call, do not count."""
        wanted = self._algebra.meaning(stored)
        anchor = self._algebra.signature(stored).anchor
        if any_argument and not ARGUMENTS.isdisjoint(wanted.numbers):
            wanted = replace(
                wanted, numbers={name: room for name, room in wanted.numbers.items() if name not in ARGUMENTS}
            )
            anchor = signature(wanted).anchor
        found = {}
        for arch, mask in calls.items():
            kept = 0
            theirs = replace(wanted, selection={arch: mask})
            while mask:
                low = mask & -mask
                mask ^= low
                known = self._thought_of(theirs, arch, low, anchor)
                if known is None:
                    return None
                kept |= 0 if known else low
            if kept:
                found[arch] = kept
        return found

    def names(self, arch: int, bit: int) -> bool:
        """Whether some rule names that call, under any conditions."""
        return (arch, bit) in self._by_call

    def _thought_of(self, wanted: Constraints, arch: int, bit: int, anchor: Anchor) -> bool | None:
        for group in self._candidates(wanted, arch, bit, anchor):
            if self._left <= 0:
                return None
            if not group.chosen.get(arch, 0) & bit:
                continue
            if group.like.perms and not wanted.perms:
                continue
            if any(place not in wanted.places for place in group.like.places):
                continue
            self._left -= 1
            if implied(replace(group.like, selection={arch: bit}), wanted):
                return True
        return False

    def _candidates(self, wanted: Constraints, arch: int, bit: int, anchor: Anchor) -> Iterator[_Group]:
        """The groups at one of the places of `wanted` or at none: a group at another place records no part of it."""
        for place in (*wanted.places, None):
            if anchor is None:
                yield from self._by_call.get((arch, bit), {}).get(place, ())
            else:
                yield from self._by_anchor.get((anchor, place), ())

    @cached_property
    def _by_call(self) -> dict[tuple[int, int], dict[Place | None, list[_Group]]]:
        """The groups that name a call, by the first place they demand."""
        found: dict[tuple[int, int], dict[Place | None, list[_Group]]] = {}
        for group in self._groups.values():
            for arch, mask in group.chosen.items():
                while mask:
                    low = mask & -mask
                    mask ^= low
                    found.setdefault((arch, low), {}).setdefault(_place(group), []).append(group)
        return found

    @cached_property
    def _by_anchor(self) -> dict[tuple[Anchor, Place | None], list[_Group]]:
        """The groups that name calls, by each condition that only the same one implies and the first place."""
        found: dict[tuple[Anchor, Place | None], list[_Group]] = {}
        for group in self._groups.values():
            if group.chosen:
                for anchor in group.anchors:
                    if anchor is not None:
                        found.setdefault((anchor, _place(group)), []).append(group)
        return found


def _place(group: _Group) -> Place | None:
    return group.like.places[0] if group.like.places else None


def _conditions(stored: Stored) -> object:
    """Equal for rules that ask the same of an event of their system calls."""
    fields = frozenset(
        (each.name, each.op, each.value) for each in stored.rule.fields if each.name not in ("key", "arch")
    )
    return stored.place, fields
