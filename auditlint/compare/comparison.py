"""The answer to "do two rule sets record the same?": `compare(a, b, options) -> Comparison`.

Both rule sets come as `Storage`, so a caller may compare two files, one file under two targets, or a set with what a
rewriting made of it. Nothing is read, nothing is printed. The answer is exact (docs/proof.md): "same" is proved for all
events, each certain difference carries an event on which `decide()` disagrees, and what a budget left out is "unknown".
"""

from __future__ import annotations

from itertools import islice

from auditlint.auditctl.tables import filesystem_magics, record_names
from auditlint.compare import calls
from auditlint.compare.blame import Blame
from auditlint.compare.dimensions import ASSUMED
from auditlint.compare.exit_list import Budget, Difference, Dropped, ListComparison, Question
from auditlint.compare.filters import (
    TaskEnds,
    Walks,
    differing_types,
    record_kinds,
    record_name,
    simple_rows,
    user_rows,
)
from auditlint.compare.findings import Comparison, Finding, Options, Unknown, joined_ranges
from auditlint.compare.literals import UNLISTED, Side
from auditlint.compare.places import Ending
from auditlint.compare.witness import Choice, Judge, Witness
from auditlint.core.path_lookup import inside
from auditlint.kernel.storage import Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from auditlint.compare.literals import Conditions
    from auditlint.compare.places import Place
    from auditlint.compare.witness import EventData
    from auditlint.core.facts import Facts

    _Rows: TypeAlias = tuple[tuple[Conditions, bool], ...]

SYSCALL = 1300
_IN_EVENTS = (1302, 1307, 1327, 1309, 1306, 1320)
"""PATH, CWD, PROCTITLE, EXECVE, SOCKADDR, EOE: records of an event after its SYSCALL record."""


def compare(a: Storage, b: Storage, options: Options | None = None) -> Comparison:
    """Compare what two rule sets record."""
    how = options or Options()
    sides = [
        storage if switch == "on" else Storage((), storage.target, storage.facts)
        for storage, switch in zip((a, b), how.switches, strict=True)
    ]
    return _Comparing(sides[0], sides[1], how).run()


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
        self.others: list[Finding] = []
        self._recorded: list[EventData] | None = None
        self._sides = (Side(a.target, a.facts), Side(b.target, b.facts))

    def run(self) -> Comparison:
        if self._tasks():
            self._dropped = Dropped(*self._rows(SYSCALL))
            self._list("exit", self._dropped)
            self._list("io_uring", Dropped())
            self._records()
            self._filesystems()
        self._messages()
        findings = (*(pair.finding(self.blame) for pair in self.pairs.values()), *self.others)
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

    def _list(self, name: str, dropped: Dropped) -> None:
        wanted = self._wanted if self.options.region else None
        comparison = ListComparison(self.a, self.b, name, self.question, self.budget, dropped, wanted)
        for difference in comparison.differences():
            if not self._ignored(difference):
                self._take(difference)
        if not self.pairs and not self.others:
            # What two names of one file would show only matters where nothing else differs.
            for difference in comparison.differences(aliases=True):
                self._assume(difference)
        self.classes += comparison.classes
        self.looked += comparison.looked
        for call, why in comparison.unknown:
            self.unknown.append(Unknown(why, name, {call.arch: call.mask}))
        if comparison.unnested is not None:
            self.assumed["trees-are-nested"] = None

    def _wanted(self, arch: int, mask: int) -> int:
        """The calls of a mask that the question is about."""
        region = self.options.region
        if not region.only_calls and not region.ignored_calls:
            return mask
        known = calls.names(arch)
        for number in list(calls.numbers(mask)):
            name = known.get(number)
            if name in region.ignored_calls or (region.only_calls and name not in region.only_calls):
                mask &= ~(1 << number)
        return mask

    def _ignored(self, difference: Difference) -> bool:
        region = self.options.region
        if {difference.a.key, difference.b.key} & region.ignored_keys:
            return True
        if not region.ignored_paths:
            return False
        within, _ = _trees(difference)
        paths = [str(value) for kind, value in difference.files if kind == "path"] or list(within)
        return bool(paths) and all(any(inside(path, ours) for ours in region.ignored_paths) for path in paths)

    # -- other lists

    def _tasks(self) -> bool:
        """The task list. The other lists are compared for tasks that no rule of it matches on either side; whether
        there are any."""
        ends = TaskEnds(self.a, self.b, self.options.keys != "any")
        for pair, paths in ends.walks.pairs(lambda one, two: one != two):
            parents = [parent_of(Choice(ends.walks.space, path, self.a.facts)) for path in paths]
            names = [ends.names[number] for number in pair]
            self._task_finding(names, [parent for parent in parents if parent is not None])
        free = [parent_of(Choice(ends.walks.space, path, self.a.facts)) for path in ends.walks.agreeing(0)]
        if self.a.task or self.b.task:
            self.judge.parent = next((parent for parent in free if parent is not None), self.judge.parent)
        return bool(free)

    def _task_finding(self, names: Sequence[tuple[str, str | None]], parents: Sequence[EventData]) -> None:
        a, b = names
        recorded = [side for side in names if side[0] == "always"]
        kind = "key" if len(recorded) == 2 else "less" if a[0] == "always" or b[0] == "never" else "more"
        witness = None
        for parent in parents:
            for event in self._recorded_events(5):
                tried = self.judge.judge({**event, "task": parent})
                if tried is not None and _apart(tried):
                    witness = tried
                    kind = "key" if tried.a.logged and tried.b.logged else "less" if tried.a.logged else "more"
                    break
            if witness is not None:
                break
        texts = ["no rule" if name == "none" else f"{name},task" for name, _ in names]
        note = f"tasks that the task list decides: {texts[0]} in A, {texts[1]} in B"
        why = None if witness is not None else "no recorded event could be made that shows it"
        self._other("task", kind, note, witness, why)

    def _rows(self, number: int) -> tuple[_Rows, _Rows]:
        return (
            simple_rows(self.a.exclude, self._sides[0], number),
            simple_rows(self.b.exclude, self._sides[1], number),
        )

    def _records(self) -> None:
        """What the exclude list takes out of events that both sides record, and of records that stand alone."""
        if not self.a.exclude and not self.b.exclude:
            return
        for kinds in record_kinds(self.a.exclude, self.b.exclude, sorted(record_names())):
            rows = self._rows(kinds[0])
            if rows[0] == rows[1] or kinds == (SYSCALL,):
                continue
            walks = Walks(((*_numbered(rows[0]),), (*_numbered(rows[1]),)))
            pairs = [pair for pair, _ in walks.pairs(lambda one, two: one != two)]
            for pair in pairs:
                names = [record_name(number) for number in kinds if number != SYSCALL]
                loser = "A" if pair[0] else "B"
                note = f"{_some(names)} records: {loser} drops them"
                witness = self._without_record(rows, [number for number in kinds if number in _IN_EVENTS])
                why = None if witness is not None else "no event of a system call shows it"
                self._other("exclude", "records", note, witness, why)

    def _without_record(self, rows: tuple[_Rows, _Rows], kinds: Sequence[int]) -> Witness | None:
        """An event that both sides record, one of them without a record of these types."""
        for number in kinds:
            name = record_name(number)
            question = Question("any")
            comparison = ListComparison(self.a, self.b, "exit", question, self.budget, Dropped(*rows))
            for difference in islice(comparison.differences(), 40):
                for data in self.judge.events_of(difference, 4):
                    tried = self.judge.judge(data)
                    if tried is None or not (tried.a.logged and tried.b.logged):
                        continue
                    records = (tried.a.records, tried.b.records)
                    if None not in records and (name in (records[0] or ())) is not (name in (records[1] or ())):
                        return tried
        return None

    def _messages(self) -> None:
        """Messages of programs, which only the user list judges."""
        numbers = [*range(1100, 1200), *range(2100, 3000)]
        for kinds in record_kinds(self.a.user, self.b.user, numbers):
            rows = (
                user_rows(self.a.user, self._sides[0], kinds[0]),
                user_rows(self.b.user, self._sides[1], kinds[0]),
            )
            if rows[0] == rows[1]:
                continue
            walks = Walks(((*_numbered(rows[0]),), (*_numbered(rows[1]),)))
            for pair, _ in walks.pairs(lambda one, two: one != two):
                names = [record_name(number) for number in kinds if number in record_names()]
                note = f"{_some(names)} messages of programs: {'A' if pair[0] else 'B'} drops them"
                self._other("user", "records", note, None, "match judges no messages of programs")

    def _filesystems(self) -> None:
        """File systems whose path objects one side hides."""
        for magic, in_b in differing_types(self.a, self.b):
            witness = None
            for event in self._recorded_events(60):
                if not event["objects"]:
                    continue
                objects = [{**thing, "fstype": magic} if "mode" in thing else thing for thing in event["objects"]]
                tried = self.judge.judge({**event, "objects": objects})
                if tried is not None and _apart(tried):
                    witness = tried
                    break
            name = next((text for text, number in filesystem_magics().items() if number == magic), f"0x{magic:x}")
            note = f"files of the file system {name}: {'B' if in_b else 'A'} leaves them out of events"
            why = None if witness is not None else "no recorded event could be made that shows it"
            kind = "records" if witness is None else "less" if witness.a.logged else "more"
            if witness is not None and witness.a.logged and witness.b.logged:
                kind = "key"
            self._other("filesystem", kind, note, witness, why)

    def _other(self, name: str, kind: str, note: str, witness: Witness | None, why: str | None) -> None:
        self.others.append(
            Finding(name, kind, Ending(), Ending(), {}, (), (), (), (), {}, witness, why, "changed", None, note)
        )

    def _recorded_events(self, most: int) -> list[EventData]:
        """Events that one of the sides records, when no rule of the task list speaks."""
        if self._recorded is None:
            self._recorded = []
            for side in (self.a, self.b):
                nothing = Storage((), side.target, side.facts)
                judge = Judge(nothing, side, ("on", "on"), self.judge.parent)
                comparison = ListComparison(nothing, side, "exit", Question("any"), self.budget, Dropped())
                for difference in islice(comparison.differences(), 200):
                    self._recorded += judge.events_of(difference, 1)
        return self._recorded[:most] if most < 60 else self._recorded

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
        witness, feasible = self.judge.confirm(difference)
        if not feasible:
            return
        if pair is None:
            pair = self.pairs[key] = _Pair(difference, witness, self.a.facts)
        elif witness is not None:
            pair.witness = witness
        pair.add(difference)

    def _assume(self, difference: Difference) -> None:
        """A difference that only an unusual host or call shows."""
        if difference.call.names == UNLISTED:
            self.assumed["no-paths-in-other-calls"] = None
            return
        for place in (*difference.files, *difference.alike):
            self.assumed[f"no-other-names:{place[1]}"] = None
        if not difference.files:
            self.assumed["one-program-one-name"] = None


def _numbered(rows: _Rows) -> Iterator[tuple[Conditions, int]]:
    for literals, dropped in rows:
        yield literals, int(dropped)


def _some(names: Sequence[str]) -> str:
    if len(names) > 8:
        return f"{', '.join(names[:3])} and {len(names) - 3} other"
    return ", ".join(names) or "unnamed"


def _apart(witness: Witness) -> bool:
    """Whether two certain decisions differ in what is recorded."""
    a, b = witness.a, witness.b
    if a.logged is None or b.logged is None or (a.reasons != b.reasons != () and a.logged and b.logged):
        return False
    return a.logged is not b.logged or (a.logged and a.key != b.key)


def parent_of(choice: Choice) -> EventData | None:
    """The parent at the fork that a path through the task list wants; None when there is none."""
    if not choice.possible():
        return None
    ids = choice.ids()
    return {
        "ids": ids,
        "groups": choice.groups(),
        "ppid": choice.number("pid", 1),
        "pers": choice.number("pers", 0),
        "session": choice.session(ids["auid"]),
    }


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

    def __init__(self, difference: Difference, witness: Witness | None, facts: Facts) -> None:
        self.first = difference
        self.witness = witness
        self.calls: dict[int, int] = {}
        self.places: dict[Place, None] = {}
        self.modes: dict[str, None] = {}
        self.everywhere = False
        self.who = _who(difference)
        self.inside, self.outside = _trees(difference)
        self.why = _why(difference, facts)

    def add(self, difference: Difference) -> None:
        arch, mask = difference.call.arch, difference.call.mask
        self.calls[arch] = self.calls.get(arch, 0) | mask
        self.modes[difference.mode] = None
        if not difference.files:
            self.everywhere = True
        if difference is not self.first and self.who:
            who = _who(difference)
            self.who = {
                name: joined_ranges((*values, *who[name])) if name != "exe" else tuple({*values, *who[name]})
                for name, values in self.who.items()
                if name in who
            }
        if difference is not self.first and (self.inside or self.outside):
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


def _why(difference: Difference, facts: Facts) -> str:
    """What keeps an event from deciding: the conditions of the most ordinary way that no event can answer."""
    kinds: set[str] = set()
    for _, path in difference.paths():
        kinds = {str(flag[0]) for flag in Choice(difference.space, path, facts).flags() if flag[-1]}
        break
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
