"""From values of variables to an event that `match` takes, and what both rule sets make of it.

The event is built as JSON and read back as `match` reads it, then judged by `decide()` on both sides: a difference is
certain only when the judgements differ. What cannot be said in an event (an account without number, a label of an
unknown security module) leaves the judgement open, and the difference is possible.
"""

from __future__ import annotations

from itertools import islice, product

from auditlint.compare import calls
from auditlint.compare.dimensions import has, preferred
from auditlint.core.frozen import dataclass, replace
from auditlint.core.path_lookup import inside
from auditlint.kernel.eval_context import EvalContext
from auditlint.kernel.evaluate import Decision, decide
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.event_json import BadEvent, event_from_json
from auditlint.kernel.rule_walk import visit
from auditlint.kernel.storage import in_mask
from auditlint.kernel.syscall_classes import tables as class_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from auditlint.compare.diagram import Path
    from auditlint.compare.dimensions import Space
    from auditlint.compare.exit_list import Difference
    from auditlint.core.facts import Facts
    from auditlint.kernel.evaluate import Switch
    from auditlint.kernel.event import Event
    from auditlint.kernel.sets import Numbers
    from auditlint.kernel.storage import Storage

    EventData: TypeAlias = dict[str, Any]
    Switches: TypeAlias = "tuple[Switch, Switch]"

MOST_PATHS = 8
MOST_REFUTED = 1000
MOST_VARIANTS = 48
_TASK_IDS = ("auid", "uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid")
_AF_UNIX = 1
_FILE, _DIRECTORY, _PROGRAM = "0100644", "040755", "0100755"
_FREE = ("/tmp", "/srv", "/mnt", "/opt", "/home/u", "/x1")


@dataclass(frozen=True, slots=True)
class Witness:
    """An event as `match` takes it, with the decision of each side. `cost`: the lower, the more ordinary the event."""

    event: EventData
    a: Decision
    b: Decision
    cost: int = 0


class Judge:
    """Judges events by both rule sets."""

    def __init__(self, a: Storage, b: Storage, switches: Switches, parent: Mapping[str, Any] | None) -> None:
        self.a, self.b = a, b
        self.switches = switches
        self.parent = dict(parent) if parent is not None else _PARENT
        self.judged = 0
        self._watched = {stored.path for each in (a, b) for stored in each.hashed if stored.path is not None}
        self._trees = {
            stored.path
            for each in (a, b)
            for stored in each.rules
            if stored.path and stored.rule.get("dir") is not None
        }

    def judge(self, data: EventData) -> Witness | None:
        """Both decisions; None for an event that cannot be read."""
        self.judged += 1
        try:
            events = [event_from_json(data, each.target, _no_name) for each in (self.a, self.b)]
        except BadEvent:
            return None
        if "io_uring" in data:
            return Witness(data, operation(self.a, events[0]), operation(self.b, events[1]))
        return Witness(data, decide(self.a, events[0], self.switches[0]), decide(self.b, events[1], self.switches[1]))

    def confirm(self, difference: Difference) -> tuple[Witness | None, bool]:
        """The first event, from the most ordinary on, of which both decisions are certain and differ as the difference
        says; else None. Last: whether the difference may be real; False is a proof that no event has these values."""
        tried = 0
        for number, (cost, path) in enumerate(difference.paths()):
            if tried >= MOST_PATHS or number >= MOST_REFUTED:
                return None, True
            choice = Choice(difference.space, path, self.a.facts)
            if not choice.possible():
                continue
            tried += 1
            for data in islice(self._events(difference, choice), MOST_VARIANTS):
                witness = self.judge(data)
                if witness is not None and differs_as(difference, witness):
                    return replace(witness, cost=4 * cost + self._rarity(difference, data)), True
        return None, tried > 0

    def events_of(self, difference: Difference, most: int) -> list[EventData]:
        """Some events that lead to a difference, not judged."""
        for _, path in islice(difference.paths(), MOST_PATHS):
            choice = Choice(difference.space, path, self.a.facts)
            if choice.possible():
                events = list(islice(self._events(difference, choice), most))
                if events:
                    return events
        return []

    def _rarity(self, difference: Difference, data: EventData) -> int:
        """How unusual the call of an event is: its rank among the well-known calls, 64 bit first."""
        native = difference.call.arch == class_tables(self.a.target).native.elf
        return calls.renown(data.get("name")) + (0 if native else 3) + 2 * len(data["objects"])

    # -- events

    def _events(self, difference: Difference, choice: Choice) -> Iterator[EventData]:
        call = difference.call
        ranked = calls.ranked(call.arch, call.mask)
        names = calls.names(call.arch)
        wanted = choice.trees(True)
        refused = choice.trees(False)
        for number in ranked[:12]:
            name = names.get(number)
            for objects in self._objects(difference, choice, name, call.pathless, wanted, refused):
                for variant in _variants(choice):
                    yield self._event(difference, choice, number, name, objects, variant)

    def _event(
        self,
        difference: Difference,
        choice: Choice,
        number: int,
        name: str | None,
        objects: Sequence[EventData],
        variant: Mapping[str, Any],
    ) -> EventData:
        call = difference.call
        ids = choice.ids()
        returned, exit_value, success = choice.outcome(self.a.target.machine)
        data: EventData = {"nr": number}
        if name is not None:
            data["name"] = name
        if difference.list == "io_uring":
            data["io_uring"] = True
        data["abi"] = self._abi(call.arch)
        data["a"] = [f"{choice.number(f'a{at}', 0):x}" for at in range(4)]
        data["exit"] = exit_value if returned else None
        data["success"] = success if returned else None
        data["ids"] = ids
        data["groups"] = choice.groups()
        data["pid"] = choice.number("pid", 4321)
        data["ppid"] = choice.number("ppid", 4320)
        data["pers"] = choice.number("pers", 0)
        data["session"] = choice.session(ids["auid"])
        data["exe"] = choice.program()
        label = choice.label(self.a.facts.lsm)
        if label is not None:
            data["subj"] = label
        data["family"] = choice.family("family")
        if objects and name in calls.with_address() and not choice.asks("number", "family"):
            data["family"] = _AF_UNIX
        flags = choice.number("flags", 0)
        if flags:
            data["flags"] = flags
        sticky = choice.family("sticky family")
        if not all(each.target.kernel_at_least("5.16") for each in (self.a, self.b)):
            data["last"] = {"exit": None, "success": None}
            if sticky is not None:
                data["last"]["family"] = sticky
                data["family"] = data["family"] if data["family"] is not None else None
        own = dict(variant)
        removed = returned and success
        made = []
        for thing in objects:
            each = dict(thing)
            if "mode" in each:
                if own and each["type"] != "PARENT":
                    each.update(own)
                each.setdefault("ouid", 0)
                each.setdefault("ogid", 0)
            if each["type"] == "CREATE" and not removed:
                each.pop("mode", None)
                for key in ("ouid", "ogid", "inode", "dev", "rdev"):
                    each.pop(key, None)
            made.append(each)
        data["objects"] = made
        data["task"] = self.parent
        return data

    def _abi(self, arch: int) -> int | str:
        tables = class_tables(self.a.target)
        for each, bits in ((tables.native, 64), (tables.compat, 32)):
            if each is not None and each.elf == arch and bool(arch & 0x80000000) is (bits == 64):
                return bits
        return f"{arch:x}"

    def _objects(
        self,
        difference: Difference,
        choice: Choice,
        name: str | None,
        pathless: bool,
        wanted: Sequence[str],
        refused: Sequence[str],
    ) -> Iterator[list[EventData]]:
        """Path objects that a call of this name can have and that lie where the difference wants them."""
        if pathless or difference.list == "io_uring":
            if not wanted and not difference.files:
                yield []
            return
        shapes = calls.shapes().get(name or "", ())
        succeeds = choice.outcome(self.a.target.machine)[2] is True
        spots = self._spots(difference, wanted, refused)
        if spots is None:
            return
        if not spots:
            yield []
            return
        if all(spot is None for spot in spots):
            # No object is wanted: somewhere else, or none where nowhere is free or the call is not known to have any.
            if not any(shapes):
                yield []
                return
            free = self._outside(refused)
            if free is None:
                if not succeeds:
                    yield []
                return
            spots = [free]
        places = [spot for spot in spots if spot is not None]
        for shape in shapes:
            yield from self._shaped(difference, shape, places, succeeds, refused)

    def _spots(self, difference: Difference, wanted: Sequence[str], refused: Sequence[str]) -> list[str | None] | None:
        """The paths that the event must name, the watched files first; None when no paths lie in the wanted trees and
        outside the refused ones."""
        files: list[str | None] = []
        for place in difference.files:
            path = self._path_of(place)
            if path is None:
                return None
            files.append(path)
        covered = {tree for tree in wanted for path in files if path is not None and inside(path, tree)}
        left = [tree for tree in wanted if tree not in covered]
        spots = list(files)
        while left:
            deepest = max(left, key=lambda tree: (len(tree), tree))
            spot = self._inside(deepest, refused)
            if spot is None:
                return None
            spots.append(spot)
            left = [tree for tree in left if not inside(spot, tree)]
            if len(spots) > 4:
                return None
        touched = {tree for tree in refused for path in spots if path is not None and inside(path, tree)}
        if touched:
            return None
        return spots or [None]

    def _path_of(self, place: tuple[str, object]) -> str | None:
        if place[0] == "path":
            return str(place[1])
        for each in (self.a, self.b):
            for stored in each.hashed:
                if stored.inode == place[1] and stored.path is not None:
                    return stored.path
        return f"/tmp/inode-{place[1]}"

    def _inside(self, tree: str, refused: Sequence[str]) -> str | None:
        if any(inside(tree, other) for other in refused):
            return None
        top = "" if tree == "/" else tree
        for last in ("sub/x", "sub2/x2", "d.d/file"):
            path = f"{top}/{last}"
            parents = {path, path.rpartition("/")[0]}
            if not parents & self._watched and not any(
                inside(path, other) for other in self._trees if other != tree and not inside(tree, other)
            ):
                return path
        return None

    def _outside(self, refused: Sequence[str]) -> str | None:
        for folder in _FREE:
            path = f"{folder}/x"
            if not any(inside(path, tree) for tree in self._trees) and not {path, folder} & self._watched:
                return path
        return None

    def _shaped(
        self,
        difference: Difference,
        shape: Sequence[str],
        places: Sequence[str],
        succeeds: bool,
        refused: Sequence[str],
    ) -> Iterator[list[EventData]]:
        """Path objects of one shape with the places in it, in every order that fits the mode."""
        slots = [at for at, kind in enumerate(shape) if kind in ("file", "program", "create", "delete")]
        removed = difference.mode == "removed"
        if removed:
            if not succeeds or "delete" not in shape:
                return
            first = shape.index("delete")
            rest = [at for at in slots if at != first]
            orders = [[first, *more] for more in _arrangements(rest, len(places) - 1)]
            parent_first = [[first, -1]] if len(places) == 2 else []
            orders += parent_first
        else:
            orders = list(_arrangements(slots, len(places)))
            if len(places) == 1 and "parent" in shape:
                orders.append([-1])
            if len(places) == 2 and "parent" in shape:
                orders += [[-1, at] for at in slots]
        for order in orders:
            made = self._placed(shape, dict(zip(order, places, strict=True)), removed, succeeds, refused)
            if made is not None:
                yield made

    def _placed(
        self, shape: Sequence[str], at: Mapping[int, str], removed: bool, succeeds: bool, refused: Sequence[str]
    ) -> list[EventData] | None:
        """The objects; `at` gives the place of some, -1 that of the parent of the first entry."""
        entries = [number for number, kind in enumerate(shape) if kind in ("create", "delete")]
        paths: dict[int, str] = dict(at)
        parent = paths.pop(-1, None)
        if parent is not None:
            if not entries or (entries[0] in paths and paths[entries[0]].rpartition("/")[0] != parent):
                return None
            if entries[0] not in paths:
                paths[entries[0]] = f"{parent.rstrip('/')}/x9"
                if paths[entries[0]] in self._watched:
                    return None
        spare = self._outside(refused)
        for number, kind in enumerate(shape):
            if kind in ("file", "program", "create", "delete") and number not in paths:
                beside = next(iter(paths.values()), None)
                free = spare or (f"{beside}.new" if beside else None)
                if free is None:
                    return None
                used = set(paths.values())
                while free in used:
                    free += "2"
                paths[number] = free
        made: list[EventData] = []
        parents = iter([paths[number].rpartition("/")[0] or "/" for number in entries])
        shared = None
        for number, kind in enumerate(shape):
            if kind == "parent":
                shared = next(parents, shared)
                if shared is None:
                    return None
                name = shared if shared.endswith("/") else f"{shared}/"
                made.append({"name": name, "type": "PARENT", "file": shared, "mode": _DIRECTORY})
            elif kind == "missing":
                made.append({"name": "/tmp/text-of-a-link", "type": "UNKNOWN"})
            elif kind == "create":
                made.append({"name": paths[number], "type": "CREATE", "file": None, "mode": _FILE})
            elif kind == "delete":
                made.append({"name": paths[number], "type": "DELETE", "file": None, "mode": _FILE})
            else:
                mode = _PROGRAM if kind == "program" else _FILE
                made.append({"name": paths[number], "type": "NORMAL", "file": paths[number], "mode": mode})
        deleted = {each["name"] for each in made if each["type"] == "DELETE"}
        if not removed and succeeds and deleted & self._watched:
            return None
        return made


class Choice:
    """The values of one path through the diagrams, as data of an event; what is not chosen is ordinary."""

    def __init__(self, space: Space, path: Path, facts: Facts) -> None:
        self.values: dict[tuple[str, object], object] = {}
        for number, variable in space.variables.items():
            if number in path:
                self.values[variable.kind, variable.name] = variable.values[path[number]]
        self._ids: dict[str, int] | None = None
        self._space = space
        self._facts = facts

    def asks(self, kind: str, name: object) -> bool:
        """Whether the path says something about a dimension."""
        return (kind, name) in self.values

    def trees(self, state: bool) -> list[str]:
        """The trees that the path wants touched, or not touched."""
        return [
            name[1]
            for (kind, name), value in self.values.items()
            if kind == "tree" and value is state and isinstance(name, tuple)
        ]

    def flags(self) -> list[tuple[Any, ...]]:
        """The conditions that are only true or false and were chosen, each with its value last."""
        return [
            (*name[1], value) if isinstance(name[1], tuple) else (name[1], value)
            for (kind, name), value in self.values.items()
            if kind == "flag" and isinstance(name, tuple)
        ]

    def possible(self) -> bool:
        """Whether numbers can be found that fit together: equal ids, a session exactly with a login id."""
        return self._choose() is not None

    def _choose(self) -> dict[str, int] | None:
        if self._ids is None:
            self._ids = self._fit()
        return self._ids

    def _fit(self) -> dict[str, int] | None:
        """Ids that fit the chosen atoms and each other; None when there are none: then no event has these values.

        Ids that must be equal are one; every id offers more numbers than there are ids, or all that it has, so trying
        them all is complete.
        """
        rooms: dict[str, list[int]] = {}
        for name in _TASK_IDS:
            value = self.values.get(("number", name))
            rooms[name] = _members(name, value) if isinstance(value, tuple) else list(_default(name))
        session = self.values.get(("number", "session"))
        if isinstance(session, tuple):
            unset, set_too = _in(session, UNSET), not _only(session, UNSET)
            chosen = isinstance(self.values.get(("number", "auid")), tuple)
            options = rooms["auid"] if chosen else [1000, 1001, 1002, 1003, 1004, UNSET]
            rooms["auid"] = [number for number in options if (unset if number == UNSET else set_too)]
        leader = {name: name for name in _TASK_IDS}
        apart: list[tuple[str, str]] = []
        for (kind, pair), state in self.values.items():
            if kind != "equal" or not isinstance(pair, tuple):
                continue
            if state:
                old, new = leader[pair[1]], leader[pair[2]]
                leader = {each: new if at == old else at for each, at in leader.items()}
            else:
                apart.append((pair[1], pair[2]))
        shared: dict[str, list[int]] = {}
        for name, at in leader.items():
            room = rooms[name] if isinstance(self.values.get(("number", name)), tuple) or name == at else None
            if room is not None:
                shared[at] = [number for number in shared[at] if number in room] if at in shared else room
        edges = [(leader[left], leader[right]) for left, right in apart]
        chosen_ids = _apart(sorted(shared, key=lambda name: len(shared[name])), shared, edges, {})
        return None if chosen_ids is None else {name: chosen_ids[leader[name]] for name in _TASK_IDS}

    def ids(self) -> dict[str, int]:
        """The ids of the task."""
        return dict(self._choose() or {})

    def number(self, name: str, default: int) -> int:
        value = self.values.get(("number", name))
        return default if value is None else preferred(name, value)  # type: ignore[arg-type]

    def family(self, name: str) -> int | None:
        value = self.values.get(("number", name))
        return None if value is None else preferred("family", value)  # type: ignore[arg-type]

    def session(self, auid: int) -> int | str:
        value = self.values.get(("number", "session"))
        if value is None:
            return "unset" if auid == UNSET else 3
        number = preferred("session", value)  # type: ignore[arg-type]
        if auid == UNSET and _in(value, UNSET):
            number = UNSET
        return "unset" if number == UNSET else number

    def groups(self) -> list[int]:
        """The supplementary groups."""
        return sorted(
            name[1]
            for (kind, name), value in self.values.items()
            if kind == "group" and value and isinstance(name, tuple)
        )

    def outcome(self, machine: str) -> tuple[bool, int | None, bool | None]:
        """Whether the call returned, with which value (signed) and whether it succeeded."""
        value: Any = self.values.get(("outcome", "outcome"))
        if value is None:
            return True, 0, True
        success, pieces = value
        if success is None:
            return False, None, None
        number = preferred("exit", pieces)
        if not success and number < U32 - 4094:
            better = [each for each in (U32 - 12, U32 - 1, U32) if any(has(piece, each) for piece in pieces)]
            number = better[0] if better else number
        return True, number - (1 << 32) if number >> 31 else number, success

    def program(self) -> str:
        """The path of the program."""
        value = self.values.get(("program", "exe"))
        if isinstance(value, frozenset) and value:
            program = min(value, key=str)
            if isinstance(program, str):
                return program
            return next((path for path, number in self._facts.inodes.items() if number == program), "/tmp/program")
        named = self._space.programs
        usual = ("/usr/bin/bash", "/usr/bin/python3", *(f"/usr/local/bin/program{at}" for at in range(len(named) + 1)))
        return next(text for text in usual if text not in named and self._facts.inodes.get(text) not in named)

    def label(self, lsm: str | None) -> str | None:
        """The label of the task, None when no condition asks."""
        parts = {str(name): value for (kind, name), value in self.values.items() if kind == "label"}
        if lsm is None and self._space.asks_label:
            return "other_u:other_r:other_t:s0"
        if not parts:
            return None
        if lsm == "selinux":
            usual = {"user": "other_u", "role": "other_r", "type": "other_t"}
            chosen = [parts.get(part) or usual[part] for part in ("user", "role", "type")]
            return ":".join(map(str, chosen)) + ":s0"
        return str(parts.get("label") or "other_profile")


_PARENT: dict[str, Any] = {
    "ids": {**dict.fromkeys(_TASK_IDS, 0), "auid": UNSET},
    "groups": [],
    "ppid": 1,
    "pers": 0,
    "session": "unset",
}
"""A task forked by init, as the task list saw it."""


def differs_as(difference: Difference, witness: Witness) -> bool:
    """Whether two certain decisions differ as the difference says."""
    a, b = witness.a, witness.b
    if a.logged is None or b.logged is None:
        return False
    foreign = "always" not in (difference.a.action, difference.b.action)
    if foreign:
        never = [side.by is not None and side.by.rule.action == "never" for side in (a, b)]
        return not a.logged and not b.logged and never[0] is not never[1]
    if a.logged is not b.logged:
        return a.logged is (difference.a.action == "always" and difference.a.slot >= 0)
    if not a.logged:
        return False
    return a.key != b.key and not a.reasons and not b.reasons and difference.a.action == difference.b.action == "always"


def operation(storage: Storage, event: Event) -> Decision:
    """What becomes of an io_uring operation that names no file: the first rule of its list that matches decides
    (audit_filter_uring(), kernel/auditsc.c, 6.1)."""
    evaluation = EvalContext(event, storage.target, storage.facts, ())
    for stored in storage.uring:
        if event.nr is not None and in_mask(stored, event.nr):
            matched = visit(stored, evaluation).matched
            if matched is None:
                return Decision(None)
            if matched:
                always = stored.rule.action == "always"
                return Decision(always, stored.rule.key if always else None, stored, stored.place)
    return Decision(False)


def _no_name(name: str, arch: int) -> int | None:
    return None


def _apart(
    names: list[str], rooms: Mapping[str, list[int]], edges: list[tuple[str, str]], chosen: dict[str, int]
) -> dict[str, int] | None:
    """A number for each name such that those of an edge differ, the first numbers where possible."""
    if any(left == right for left, right in edges):
        return None
    if not names:
        return chosen
    name, rest = names[0], names[1:]
    taken = {chosen[other] for edge in edges if name in edge for other in edge if other != name and other in chosen}
    for number in rooms[name]:
        if number not in taken:
            complete = _apart(rest, rooms, edges, {**chosen, name: number})
            if complete is not None:
                return complete
    return None


def _default(name: str) -> tuple[int, ...]:
    """Numbers for an id of which nothing is asked."""
    return tuple(range(1000, 1000 + 2 * len(_TASK_IDS)))


def _in(value: object, number: int) -> bool:
    return isinstance(value, tuple) and any(has(piece, number) for piece in value)


def _only(value: object, number: int) -> bool:
    return isinstance(value, tuple) and len(value) == 1 and value[0].single == number


def _members(name: str, value: object) -> list[int]:
    """Numbers of an atom, the most ordinary first: all of them, or more than there are ids."""
    assert isinstance(value, tuple)
    pieces: tuple[Numbers, ...] = value
    numbers = [preferred(name, pieces), *(number for number in (1000, 1001, 1002, 0, UNSET) if _in(value, number))]
    for piece in pieces:
        for low, high in piece.intervals:
            numbers += range(low, min(high, low + 2 * len(_TASK_IDS)) + 1)
    return [number for number in dict.fromkeys(numbers) if any(has(piece, number) for piece in pieces)]


def _arrangements(slots: Sequence[int], count: int) -> Iterator[list[int]]:
    """Ways to give `count` places different slots, in order of the slots first."""
    if count == 0:
        yield []
        return
    for at in slots:
        for rest in _arrangements([slot for slot in slots if slot != at], count - 1):
            yield [at, *rest]


def _variants(choice: Choice) -> Iterator[dict[str, Any]]:
    """What the path objects may be like, where conditions ask: owner, group, type, device."""
    flags = [flag for flag in choice.flags() if flag[0] in ("some", "own")]
    if not flags:
        yield {}
        return
    asked: dict[str, list[Any]] = {}
    ids = choice.ids()
    for flag in flags:
        _, *rest, _state = flag
        if rest and rest[0] == "second":
            rest = rest[1:]
        name, _op, value = rest[-3:] if rest[0] != "named" else (None, None, None)
        number = value if isinstance(value, int) else 0
        near = [number, number + 1, max(number - 1, 0), 0]
        if name == "obj_uid":
            asked.setdefault("ouid", []).extend(near)
        elif name == "obj_gid":
            asked.setdefault("ogid", []).extend(near)
        elif name == "filetype":
            asked.setdefault("mode", []).extend([f"{number | 0o644:o}", _FILE, _DIRECTORY])
        elif name == "field_compare":
            asked.setdefault("ouid", []).extend([*dict.fromkeys(ids.values()), 4242])
            asked.setdefault("ogid", []).extend([*dict.fromkeys(ids.values()), 4242])
        elif name in ("devmajor", "devminor"):
            asked.setdefault("dev", []).extend([f"{number}:{number}", f"{number + 1}:{number + 1}", "8:1", "0:2"])
        elif name == "inode":
            asked.setdefault("inode", []).extend([number, number + 1])
    keys = list(asked)
    choices = [list(dict.fromkeys(values))[:8] for values in asked.values()]
    for row in islice(product(*choices), MOST_VARIANTS):
        yield dict(zip(keys, row, strict=True))
