"""Rules filed by what they demand, so that those which may take given events are found without comparing all pairs."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from auditlint.core.frozen import dataclass, replace
from auditlint.kernel.implication import left_over, surely_implied
from auditlint.kernel.satisfy import primary_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from auditlint.kernel.constraints import Constraints
    from auditlint.kernel.storage import Stored

    Anchor: TypeAlias = tuple[str, object] | None
    """A condition that only the same condition implies: a place, a program, a number."""
    Taker: TypeAlias = tuple[Stored, Constraints, frozenset[str]]

_FEW_CALLS = 64
"""Rules for more system calls than this are filed as wide, and are not covered by several rules together."""
_FEW_RULES = 16
"""So many rules with one anchor are filed without their system calls."""
_MOST_TOGETHER = 200
"""With more candidates than this, covering by several rules together is not tried."""
MOST_COMPARED = 200_000
"""Comparisons in all; a file made to compare all pairs must not keep us for hours."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a search goes by, places left out: `kinds` of conditions, the `anchor` under which a rule is filed, the
    `anchors` that a rule which takes its events may have, and the numbers of its system calls, None for many."""

    kinds: frozenset[str]
    anchor: Anchor
    anchors: tuple[Anchor, ...]
    calls: tuple[int, ...] | None


def signature(what: Constraints) -> Signature:
    own = list(_anchors(what))
    every: list[Anchor] = [*own, None]
    if what.groups:
        # A primary group that is given also stands for its condition.
        for name, room in (primary_groups(what) or {}).items():
            if room.single is not None:
                every.append((name, room.single))
    return Signature(_kinds(what), own[0] if own else None, tuple(dict.fromkeys(every)), _calls(what.selection))


def with_calls(kept: Signature, selection: Mapping[int, int]) -> Signature:
    """The outline of the same conditions for other system calls."""
    return Signature(kept.kinds, kept.anchor, kept.anchors, _calls(selection))


def _kinds(what: Constraints) -> frozenset[str]:
    """The kinds of conditions, for passing over candidates quickly."""
    found = [*what.numbers]
    for kind in ("outcome", "places", "objects", "owners", "types", "opaque", "named"):
        if getattr(what, kind):
            found.append(kind)
    return _shared(tuple(found))


@lru_cache(maxsize=4096)
def _shared(kinds: tuple[str, ...]) -> frozenset[str]:
    """One set for all rules with these kinds: there are few."""
    return frozenset(kinds)


def _anchors(what: Constraints) -> Iterator[Anchor]:
    """Conditions that only the same condition implies: programs, single numbers; the most selective first."""
    for each in (*what.opaque, *what.named):
        yield (each.name, (each.op, each.value))
    for name, room in what.numbers.items():
        only = room.single
        if only is not None:
            yield (name, only)
    for each in what.groups:
        if each.op == "=":
            yield (each.name, each.value)


def _calls(selection: Mapping[int, int]) -> tuple[int, ...] | None:
    """The selected system call numbers, None for more than a few."""
    mask = 0
    for each in selection.values():
        mask |= each
    return _members(mask)


@lru_cache(maxsize=4096)
def _members(mask: int) -> tuple[int, ...] | None:
    if mask.bit_count() > _FEW_CALLS:
        return None
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


class RuleIndex:
    """Rules by place or anchor and by system call; those at places and for many calls without the call."""

    def __init__(self) -> None:
        self.compared = 0
        self._wide: dict[Anchor, list[Taker]] = {}
        self._narrow: dict[Anchor, dict[int, list[Taker]]] = {}
        """Of anchors with many rules."""

    def add(self, stored: Stored, what: Constraints, kept: Signature) -> None:
        """File what `stored` takes. `what` can be less than its conditions, where the walk ends earlier."""
        taker = (stored, what, kept.kinds)
        if what.places:
            for place in what.places:
                self._wide.setdefault(place, []).append(taker)
                return
        wide = self._wide.setdefault(kept.anchor, [])
        if kept.calls is None or (kept.anchor is not None and len(wide) < _FEW_RULES):
            wide.append(taker)
            return
        calls = self._narrow.setdefault(kept.anchor, {})
        for call in kept.calls:
            calls.setdefault(call, []).append(taker)

    def on_place(self, place: tuple[str, str]) -> bool:
        """Whether a rule on that path or tree is filed."""
        return place in self._wide

    def cover(self, ours: Constraints, kept: Signature) -> tuple[Stored, ...]:
        """The rules that together surely take all our events (usually one); empty when none do."""
        calls = kept.calls
        if calls is not None and not calls:
            return ()
        wide, narrow = self._fitting(ours, kept)
        if not wide and not narrow:
            return ()
        rarest = self._rarest(narrow, calls) if calls else None
        for stored, theirs, wanted in chain(wide, _with_calls(narrow, () if rarest is None else (rarest,))):
            if self.compared >= MOST_COMPARED:
                return ()
            if wanted <= kept.kinds and not left_over(ours, theirs):
                self.compared += 1
                if surely_implied(ours, theirs):
                    return (stored,)
        if calls is None or (len(calls) == 1 and len(ours.selection) == 1) or (rarest is None and not wide):
            return ()
        takers = chain(wide, _with_calls(narrow, calls))
        rest, by = self._together(ours, takers, kept.kinds) or (ours.selection, ())
        return by if not any(rest.values()) else ()

    def together(self, ours: Constraints, kept: Signature) -> tuple[dict[int, int], tuple[Stored, ...]] | None:
        """The system calls, by ABI, that no rule surely takes, and the rules that take the others; None when there are
        too many rules to tell."""
        wide, narrow = self._fitting(ours, kept)
        found = _with_calls(narrow, kept.calls) if kept.calls is not None else _all_calls(narrow)
        known = self._together(ours, chain(wide, found), kept.kinds)
        return None if known is None else ({arch: mask for arch, mask in known[0].items() if mask}, known[1])

    def rest(self, ours: Constraints, kept: Signature) -> dict[int, int] | None:
        """The system calls, by ABI, that no rule surely takes; None when there are too many rules to tell."""
        known = self.together(ours, kept)
        return None if known is None else known[0]

    def _fitting(self, ours: Constraints, kept: Signature) -> tuple[list[Taker], list[dict[int, list[Taker]]]]:
        anchors: list[Anchor] = [*ours.places, *kept.anchors]
        wide: list[Taker] = []
        narrow = []
        for anchor in anchors:
            if anchor in self._wide:
                wide += self._wide[anchor]
            if anchor in self._narrow:
                narrow.append(self._narrow[anchor])
        return wide, narrow

    def _rarest(self, narrow: list[dict[int, list[Taker]]], calls: tuple[int, ...]) -> int | None:
        """The call for which the fewest rules are filed; None when there is one for which there are none."""
        best, fewest = None, 0
        for call in calls:
            number = sum(len(by_call[call]) for by_call in narrow if call in by_call)
            if not number:
                return None
            if best is None or number < fewest:
                best, fewest = call, number
        return best

    def _together(
        self, ours: Constraints, takers: Iterable[Taker], kinds: frozenset[str]
    ) -> tuple[dict[int, int], tuple[Stored, ...]] | None:
        """What is left of our system calls when each rule takes its part whole, and the rules that take some."""
        left = dict(ours.selection)
        fitting: dict[int, tuple[Stored, Constraints]] = {}
        by: list[Stored] = []
        for stored, theirs, wanted in takers:
            if wanted <= kinds:
                fitting[stored.index] = (stored, theirs)
            if len(fitting) > _MOST_TOGETHER or self.compared >= MOST_COMPARED:
                return None
        for stored, theirs in fitting.values():
            part = {arch: mask & theirs.selection.get(arch, 0) for arch, mask in left.items()}
            if not any(part.values()):
                continue
            self.compared += 1
            if surely_implied(replace(ours, selection=part), theirs):
                by.append(stored)
                left = {arch: mask & ~part[arch] for arch, mask in left.items()}
                if not any(left.values()):
                    break
        return left, tuple(sorted(by, key=lambda stored: stored.index))


def _with_calls(narrow: Iterable[dict[int, list[Taker]]], calls: Iterable[int]) -> Iterator[Taker]:
    """The rules for one of these calls; some more than once."""
    for by_call in narrow:
        for call in calls:
            yield from by_call.get(call, ())


def _all_calls(narrow: Iterable[dict[int, list[Taker]]]) -> Iterator[Taker]:
    for by_call in narrow:
        for takers in by_call.values():
            yield from takers
