"""Rules that never decide because others take all their events before. Candidates are found by system call and by
the most selective condition, never by comparing all pairs."""

from __future__ import annotations

from auditlint.auditctl import tables
from auditlint.core.frozen import dataclass, replace
from auditlint.kernel.constraints import meaning, without_conditions
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.implication import left_over, surely_implied
from auditlint.kernel.rule_index import RuleIndex, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.core.facts import Facts
    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.constraints import Constraints
    from auditlint.kernel.rule_index import Signature
    from auditlint.kernel.storage import Storage, Stored


@dataclass(frozen=True, slots=True)
class Shadow:
    """A rule that never decides: `by`, met before it, take all its events (usually one rule, else together).

    `until_replaced`: some of them stand on the same file, where the order turns round when the file is
    replaced (kernel/audit_watch.c, measured): the rule is dead as loaded, not for good.
    `tree`: they watch a tree that holds the path of the rule. What is mounted there after the load, and a name that a
    file has outside, is left to the rule (kernel/audit_tree.c): such a shadow is none for a proof.
    """

    stored: Stored
    by: tuple[Stored, ...]
    until_replaced: bool = False
    tree: str = ""


def shadows(algebra: Algebra) -> list[Shadow]:
    """The rules that surely never decide because others are met before, in load order.

    Rules with a contradiction are left out; they are not shadowed but can never match. The work is bounded: of
    hundreds of thousands of comparable rules some shadowed ones may be missed.
    """
    return sorted(_find(algebra), key=lambda shadow: shadow.stored.index)


def takes_all(algebra: Algebra, first: Stored, later: Stored) -> bool:
    """Whether `first` is met before `later` and surely takes every event of it: then `later` never decides."""
    if first.rule.list != later.rule.list or (first.hashed and not later.hashed):
        return False
    before = first.prio > later.prio if first.prio != later.prio else first.position < later.position
    taker = _taker(algebra, first)
    ours = algebra.meaning(later)
    return before and taker is not None and not left_over(ours, taker[0]) and surely_implied(ours, taker[0])


def _find(algebra: Algebra) -> Iterator[Shadow]:
    """All shadowed rules, list by list."""
    for chain in _chains(algebra.storage):
        filed = RuleIndex()
        for stored in chain:
            ours = algebra.meaning(stored)
            if algebra.can_match(stored) is not False:
                by = filed.cover(ours, algebra.signature(stored))
                if by:
                    yield Shadow(stored, by, any(may_turn(first, stored) for first in by))
                    # What takes its events takes for it, too.
                    continue
                yield from _in_trees(filed, stored, ours, algebra)
            taker = _taker(algebra, stored)
            if taker is not None:
                filed.add(stored, *taker)


def _in_trees(filed: RuleIndex, stored: Stored, ours: Constraints, algebra: Algebra) -> Iterator[Shadow]:
    """The shadow of rules on a tree around the path of a rule, the innermost."""
    facts = algebra.storage.facts
    for kind, path in ours.places:
        while kind in ("dir", "path") and path != "/":
            path = path.rstrip("/").rpartition("/")[0] or "/"
            if filed.on_place(("dir", path)) and is_tree(path, facts):
                by = filed.cover(replace(ours, places=(("dir", path),)), algebra.signature(stored))
                if by:
                    yield Shadow(stored, by, tree=path)
                    return


def is_tree(path: str, facts: Facts) -> bool:
    """Whether a rule on that directory sees what lies in it: on a symbolic link it sees the link alone."""
    if path in facts.symlinks:
        return False
    return path not in tables.usual_links() or path in facts.directories


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


def _taker(algebra: Algebra, stored: Stored) -> tuple[Constraints, Signature] | None:
    """The events that end the walk at a rule. On exclude and user a field that the filter does not know ends
    it, too, for the events that reach the field."""
    found, kept = algebra.meaning(stored), algebra.signature(stored)
    if stored.rule.list in ("exclude", "user"):
        fields = stored.rule.fields
        end = next((at for at, each in enumerate(fields) if each.name not in KNOWN_FIELDS), None)
        if end is not None:
            shorter = replace(stored, rule=replace(stored.rule, fields=fields[:end]))
            found = meaning(shorter, algebra.world) if end else without_conditions(found)
            kept = signature(found)
    return None if found.impossible else (found, kept)
