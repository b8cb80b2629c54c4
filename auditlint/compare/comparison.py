"""The answer to "do two rule sets record the same?": `compare(a, b, options) -> Comparison`.

Both rule sets come as `Storage`, so a caller may compare two files, one file under two targets, or a set with what a
rewriting made of it. Nothing is read, nothing is printed. The answer is exact (docs/proof.md): "same" is proved for all
events, each certain difference carries an event on which `decide()` disagrees, and what a budget left out is "unknown".
"""

from __future__ import annotations

from auditlint.compare.blame import Blame
from auditlint.compare.dimensions import ASSUMED
from auditlint.compare.exit_list import Budget, Difference, Dropped, ListComparison, Question
from auditlint.compare.findings import Comparison, Finding, Options, Unknown, joined_ranges
from auditlint.compare.witness import Judge, Witness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.compare.places import Place
    from auditlint.kernel.storage import Storage


def compare(a: Storage, b: Storage, options: Options | None = None) -> Comparison:
    """Compare what two rule sets record."""
    return _Comparing(a, b, options or Options()).run()


class _Comparing:
    def __init__(self, a: Storage, b: Storage, options: Options) -> None:
        self.a, self.b, self.options = a, b, options
        self.question = Question(options.keys)
        self.budget = Budget(options.nodes, options.expired)
        self.judge = Judge(a, b, options.switches, None)
        self.blame = Blame(a, b, options.keys)
        self.pairs: dict[object, _Pair] = {}
        self.unknown: list[Unknown] = []
        self.assumed: dict[str, None] = {}
        self.classes = self.looked = 0

    def run(self) -> Comparison:
        self._list("exit")
        self._list("io_uring")
        self._other_lists()
        findings = tuple(pair.finding(self.blame) for pair in self.pairs.values())
        counting = [finding for finding in findings if self._counts(finding)]
        open_ones = bool(self.unknown) or any(not finding.certain for finding in counting)
        different = any(finding.certain for finding in counting)
        verdict = "different" if different else "unknown" if open_ones else "same"
        lost = [finding for finding in findings if finding.kind in ("less", "key")]
        at_least: bool | None = True
        if any(finding.certain for finding in lost):
            at_least = False
        elif lost or self.unknown:
            at_least = None
        return Comparison(
            verdict,
            at_least,
            findings,
            tuple(self.unknown),
            tuple(self.assumed),
            self.classes,
            self.looked,
            self.budget.used,
        )

    def _counts(self, finding: Finding) -> bool:
        return finding.kind in ("less", "more", "key", "records") or (
            finding.kind == "foreign" and self.options.foreign
        )

    def _list(self, name: str) -> None:
        comparison = ListComparison(self.a, self.b, name, self.question, self.budget, Dropped())
        for difference in comparison.differences():
            self._take(difference)
        self.classes += comparison.classes
        self.looked += comparison.looked
        for call, why in comparison.unknown:
            self.unknown.append(Unknown(why, name, {call.arch: call.mask}))

    def _other_lists(self) -> None:
        """The lists that are compared as a whole: rule by rule equal, or not known."""
        for name in ("task", "user", "exclude", "filesystem"):
            sides = [
                [(each.rule.action, each.rule.fields) for each in getattr(storage, name)]
                for storage in (self.a, self.b)
            ]
            if sides[0] != sides[1]:
                self.unknown.append(Unknown(f"the rules of the {name} list differ", name, {}))

    def _take(self, difference: Difference) -> None:
        if difference.cost >= ASSUMED:
            self._assume(difference)
            return
        key = (
            difference.list,
            difference.a.winner.index if difference.a.winner else None,
            difference.b.winner.index if difference.b.winner else None,
            difference.a.key,
            difference.b.key,
            difference.a.slot < 0,
            difference.b.slot < 0,
        )
        pair = self.pairs.get(key)
        if pair is not None and pair.witness is not None:
            pair.add(difference)
            return
        witness, feasible = self.judge.confirm(difference) if difference.list == "exit" else (None, True)
        if not feasible:
            return
        if pair is None:
            pair = self.pairs[key] = _Pair(difference, witness)
        elif witness is not None:
            pair.witness = witness
        pair.add(difference)

    def _assume(self, difference: Difference) -> None:
        names = ", ".join(str(place[1]) for place in difference.files) or "one place"
        self.assumed[f"no-other-names:{names}"] = None


def kind_of(difference: Difference) -> str:
    """What B does that A does not, or the other way round."""
    records = [ending.action == "always" and ending.slot >= 0 for ending in (difference.a, difference.b)]
    if records == [True, True]:
        return "key"
    if records == [False, False]:
        return "foreign"
    return "less" if records[0] else "more"


class _Pair:
    """A finding in the making."""

    def __init__(self, difference: Difference, witness: Witness | None) -> None:
        self.first = difference
        self.witness = witness
        self.calls: dict[int, int] = {}
        self.places: dict[Place, None] = {}
        self.modes: dict[str, None] = {}
        self.everywhere = False
        self.who = _who(difference)
        self.inside, self.outside = _trees(difference)
        self.why = _why(difference)

    def add(self, difference: Difference) -> None:
        arch, mask = difference.call.arch, difference.call.mask
        self.calls[arch] = self.calls.get(arch, 0) | mask
        self.modes[difference.mode] = None
        if not difference.files:
            self.everywhere = True
        if difference is not self.first:
            who = _who(difference)
            self.who = {
                name: joined_ranges((*values, *who[name])) if name != "exe" else tuple({*values, *who[name]})
                for name, values in self.who.items()
                if name in who
            }
            inside, outside = _trees(difference)
            self.inside = tuple(tree for tree in self.inside if tree in inside)
            self.outside = tuple(tree for tree in self.outside if tree in outside)
        for place in difference.alike:
            self.places[place] = None

    def finding(self, blame: Blame) -> Finding:
        cause, rule = blame.of(self.first)
        return Finding(
            self.first.list,
            kind_of(self.first),
            self.first.a,
            self.first.b,
            self.calls,
            () if self.everywhere else tuple(self.places),
            tuple(self.modes),
            self.inside,
            self.outside,
            self.who,
            self.witness,
            None if self.witness is not None else self.why,
            cause,
            rule,
        )


def _who(difference: Difference) -> dict[str, tuple[object, ...]]:
    """The values of ids, arguments, return values and programs with which a difference happens."""
    found: dict[str, tuple[object, ...]] = {}
    for number, values in difference.values(("number", "outcome", "program")).items():
        variable = difference.space.variables[number]
        chosen = [variable.values[value] for value in values]
        if variable.kind == "program":
            programs = [str(program) for value in chosen if isinstance(value, frozenset) for program in value]
            if all(chosen) and programs:
                found["exe"] = tuple(sorted(set(programs)))
        elif variable.kind == "outcome":
            states = {value[0] for value in chosen if isinstance(value, tuple)}
            if len(states) == 1 and None not in states:
                found["success"] = ((1, 1),) if True in states else ((0, 0),)
        elif str(variable.name) != "flags":
            ranges = _intervals(chosen)
            if ranges is not None:
                found[str(variable.name)] = ranges
    return found


def _intervals(values: Sequence[object]) -> tuple[object, ...] | None:
    """The numbers of some atoms as intervals; None when bits decide, or "no address" is among them."""
    ranges: list[tuple[int, int]] = []
    for value in values:
        if not isinstance(value, tuple):
            return None
        for piece in value:
            if piece.must or piece.some or piece.forbid:
                return None
            ranges += piece.intervals
    return joined_ranges(ranges)


def _trees(difference: Difference) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The directories in which some object must lie, and those in which none may."""
    within: list[str] = []
    without: list[str] = []
    for number, values in difference.values(("tree",)).items():
        name = difference.space.variables[number].name
        assert isinstance(name, tuple)
        (within if True in values or 1 in values else without).append(name[1])
    return tuple(within), tuple(without)


def _why(difference: Difference) -> str:
    """What keeps an event from deciding: the conditions that no event can answer."""
    names = [
        variable.name[1]
        for variable in difference.space.variables.values()
        if variable.kind == "flag" and isinstance(variable.name, tuple)
    ]
    kinds = {str(name[0]) if isinstance(name, tuple) else str(name) for name in names}
    for kind, text in _REASONS.items():
        if kind in kinds:
            return text
    if difference.mode in ("removed", "two"):
        return "no call is known to name these files together"
    return "no event could be made that shows it"


_REASONS = {
    "named": "the number of a user or group is not known (--facts or --root tells)",
    "label": "the security module or its policy is not known (--facts)",
    "newer than the tables": "whether this kernel counts the call for perm is not known",
    "perm": "what perm!= means on this kernel is not known",
    "member-before-4.19": "how this kernel compares gid is not known",
    "some": "it depends on owner, type or device of several path objects",
    "own": "it depends on owner, type or device of several path objects",
}
