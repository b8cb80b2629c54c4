"""Rules that never decide because others take all their events before. Candidates are found by system call and by
the most selective condition, never by comparing all pairs."""

from __future__ import annotations

from auditlint.frozen import dataclass, replace
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.implication import left_over, surely_implied
from auditlint.kernel.meaning import meaning, without_conditions
from auditlint.kernel.satisfy import primary_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.meaning import Meaning
    from auditlint.kernel.storage import Storage, Stored

    Anchor: TypeAlias = tuple[str, object] | None
    Taker: TypeAlias = tuple[Stored, Meaning, frozenset[str]]

_FEW_CALLS = 64
"""Rules for more system calls than this are filed as wide, and are not covered by several rules together."""
_MOST_TOGETHER = 200
"""With more candidates than this, covering by several rules together is not tried."""
_MOST_COMPARED = 200_000
"""Comparisons in all; a file made to compare all pairs must not keep us for hours."""


@dataclass(frozen=True, slots=True)
class Shadow:
    """A rule that never decides: `by`, met before it, take all its events (usually one rule, else together).

    `until_replaced`: some of them stand on the same file, where the order turns round when the file is
    replaced (kernel/audit_watch.c, measured): the rule is dead as loaded, not for good.
    """

    stored: Stored
    by: tuple[Stored, ...]
    until_replaced: bool = False


def takes_all(algebra: Algebra, first: Stored, later: Stored) -> bool:
    """Whether `first` is met before `later` and surely takes all its events."""
    if first.rule.list != later.rule.list or (first.hashed and not later.hashed):
        return False
    before = first.prio > later.prio if first.prio != later.prio else first.position < later.position
    taker = _taker(algebra, first)
    ours = algebra.meaning(later)
    return before and taker is not None and not left_over(ours, taker[1]) and surely_implied(ours, taker[1])


def find_shadows(algebra: Algebra) -> Iterator[Shadow]:
    """All shadowed rules, list by list."""
    for chain in _chains(algebra.storage):
        filed = _Filed()
        for stored in chain:
            ours = algebra.meaning(stored)
            if algebra.can_match(stored) is not False:
                by = _cover(ours, filed)
                if by:
                    yield Shadow(stored, by, any(may_turn(first, stored) for first in by))
                    # What takes its events takes for it, too.
                    continue
            taker = _taker(algebra, stored)
            if taker is not None:
                filed.add(taker)


def _chains(storage: Storage) -> Iterator[list[Stored]]:
    """The rules of each list in the order in which they decide; hashed rules have their place by priority."""
    yield decision_order(storage, "exit")
    yield decision_order(storage, "io_uring")
    yield decision_order(storage, "task")
    yield list(storage.exclude)
    yield list(storage.user)


def decision_order(storage: Storage, name: str) -> list[Stored]:
    """The rules of the task, exit or io_uring list, hashed ones too, as priority puts them: the first that matches
    wins."""
    if name == "task":
        return list(storage.task)
    chain = storage.exit if name == "exit" else storage.uring
    hashed = [stored for stored in storage.hashed if stored.rule.list == name]
    return sorted((*chain, *hashed), key=lambda stored: -stored.prio)


def may_turn(first: Stored, later: Stored) -> bool:
    """Whether the order of two rules turns round when their file is replaced: not if one is no path rule, nor
    if the first was put in front of the other."""
    if not (first.hashed and later.hashed) or first.rule.get("path") is None:
        return False
    return not (first.rule.prepend and first.index > later.index)


def _taker(algebra: Algebra, stored: Stored) -> Taker | None:
    """The events that end the walk at a rule. On exclude and user a field that the filter does not know ends
    it, too, for the events that reach the field."""
    found = algebra.meaning(stored)
    if stored.rule.list in ("exclude", "user"):
        fields = stored.rule.fields
        end = next((at for at, each in enumerate(fields) if each.name not in KNOWN_FIELDS), None)
        if end == 0:
            found = without_conditions(found)
        elif end is not None:
            found = meaning(replace(stored, rule=replace(stored.rule, fields=fields[:end])), algebra.world)
    return None if found.impossible else (stored, found, _kinds(found))


def _kinds(what: Meaning) -> frozenset[str]:
    """The kinds of conditions, for passing over candidates quickly."""
    found = set(what.numbers)
    for kind in ("outcome", "places", "objects", "owners", "types", "opaque"):
        if getattr(what, kind):
            found.add(kind)
    return frozenset(found)


def _anchors(what: Meaning) -> Iterator[Anchor]:
    """Conditions that only the same condition implies: places, programs, single numbers; the most selective
    first."""
    for place in what.places:
        yield ("place", place)
    for each in what.opaque:
        yield (each.name, (each.op, each.value))
    for name, room in what.numbers.items():
        only = room.single
        if only is not None:
            yield (name, only)
    for each in what.groups:
        if each.op == "=":
            yield (each.name, each.value)


def _all_anchors(what: Meaning) -> list[Anchor]:
    """The anchors that a rule which takes our events may have. A primary group that is given also stands for
    its condition."""
    found: list[Anchor] = [*_anchors(what), None]
    if what.groups:
        for name, room in (primary_groups(what) or {}).items():
            if room.single is not None:
                found.append((name, room.single))
    return list(dict.fromkeys(found))


class _Filed:
    """The rules met so far, by their first anchor and by system call; wide ones by anchor alone."""

    def __init__(self) -> None:
        self.compared = 0
        self.wide: dict[Anchor, list[Taker]] = {}
        self.narrow: dict[tuple[Anchor, int], list[Taker]] = {}

    def add(self, taker: Taker) -> None:
        anchor = next(_anchors(taker[1]), None)
        # A place is selective enough.
        calls = None if taker[1].places else _calls(taker[1])
        if calls is None:
            self.wide.setdefault(anchor, []).append(taker)
        else:
            for call in calls:
                self.narrow.setdefault((anchor, call), []).append(taker)

    def candidates(self, anchors: list[Anchor], calls: Iterable[int]) -> Iterator[Taker]:
        """The rules that may take an event with these anchors and one of these calls; some more than once."""
        for anchor in anchors:
            yield from self.wide.get(anchor, ())
            for call in calls:
                yield from self.narrow.get((anchor, call), ())

    def rarest(self, anchors: list[Anchor], calls: list[int]) -> int:
        """The call for which the fewest rules are filed."""
        return min(calls, key=lambda call: sum(len(self.narrow.get((anchor, call), ())) for anchor in anchors))


def _calls(what: Meaning) -> list[int] | None:
    """The selected system call numbers, None for more than a few."""
    mask = 0
    for each in what.selection.values():
        mask |= each
    if mask.bit_count() > _FEW_CALLS:
        return None
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _cover(ours: Meaning, filed: _Filed) -> tuple[Stored, ...]:
    """The rules that together surely take all our events; empty when none do."""
    anchors = _all_anchors(ours)
    kinds = _kinds(ours)
    calls = _calls(ours)
    if calls is not None and not calls:
        return ()
    one = [filed.rarest(anchors, calls)] if calls else []
    for stored, theirs, wanted in filed.candidates(anchors, one):
        if filed.compared >= _MOST_COMPARED:
            return ()
        if wanted <= kinds and not left_over(ours, theirs):
            filed.compared += 1
            if surely_implied(ours, theirs):
                return (stored,)
    if calls is None or (len(calls) == 1 and len(ours.selection) == 1):
        return ()
    return _cover_together(ours, filed, anchors, kinds, calls)


def _cover_together(
    ours: Meaning, filed: _Filed, anchors: list[Anchor], kinds: frozenset[str], calls: list[int]
) -> tuple[Stored, ...]:
    """Several rules that share our system calls among them, each taking its part whole."""
    fitting = {
        stored.index: (stored, theirs) for stored, theirs, wanted in filed.candidates(anchors, calls) if wanted <= kinds
    }
    if len(fitting) > _MOST_TOGETHER:
        return ()
    left = dict(ours.selection)
    by: list[Stored] = []
    for stored, theirs in fitting.values():
        part = {arch: mask & theirs.selection.get(arch, 0) for arch, mask in left.items()}
        if not any(part.values()):
            continue
        filed.compared += 1
        if surely_implied(replace(ours, selection=part), theirs):
            by.append(stored)
            left = {arch: mask & ~part[arch] for arch, mask in left.items()}
            if not any(left.values()):
                return tuple(sorted(by, key=lambda stored: stored.index))
    return ()
