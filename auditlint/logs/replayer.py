"""Counts the events of a log: which rule recorded each, and what other rule sets make of it."""

from __future__ import annotations

from auditlint.auditctl.render import shown
from auditlint.core.frozen import dataclass, replace
from auditlint.kernel.effects import behind
from auditlint.kernel.evaluate import possible
from auditlint.kernel.event import ANY, Event, PathObject
from auditlint.logs import records
from auditlint.logs.projection import Projection, at_working_directory, call_name
from auditlint.logs.tally import MOST_STARTS, Table, Tally, common_area

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.kernel.evaluate import Decision
    from auditlint.kernel.event import Number
    from auditlint.kernel.storage import Storage
    from auditlint.logs.assembly import Record
    from auditlint.logs.records import Groups, PathRecord
    from auditlint.logs.tally import Slot

MOST_CELLS = 16_384
MOST_NAMES = 65_536
"""Inodes whose names are remembered."""
_MOST_PATHS = 32_768
_MOST_STATES = 64
_MOST_PREFIXES = 32
UNKNOWN_OBJECT = "a descriptor or relative name without a known place"
UNKNOWN_FACTS = "groups, arguments or facts that the log does not hold"
CONTRADICTION = "the rules say otherwise"
LOADING = "recorded while rules were being loaded"
INCOMPLETE = "records are missing"
NO_FIELDS = "damaged SYSCALL record"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a log: the rule set that recorded it (None: only tables), others that might have, and which
    events count. Times are seconds since 1970."""

    target: Target
    facts: Facts
    rules: Storage | None = None
    others: tuple[Storage, ...] = ()
    tried: int = 0
    """So many of the last ones are the rules with one more."""
    since: float | None = None
    until: float | None = None
    host: str | None = None
    key: str | None = None
    paths: bool = False
    """Count the paths too: they can be many."""


class _Cell:
    """Events that agree in all that is counted and asked."""

    __slots__ = ("area", "bytes", "event", "events", "labels", "next_state", "others", "slot", "sure", "turns")

    def __init__(self, slot: Slot, labels: tuple[object, ...], others: tuple[Slot, ...]) -> None:
        self.events = 0
        self.bytes = 0
        self.slot = slot
        self.labels = labels
        self.others = others
        self.area: str | None = None
        """The directory, with a slash at its end, in which each of the events has an object; "" for none."""
        self.sure: bool | None = None
        """Whether the rules alone decide, or only with the key in the record; None: no rule made the event."""
        self.turns = False
        self.event: Event | None = None
        self.next_state: int | None = None


@dataclass(frozen=True, slots=True)
class _Decided:
    """What is made of an event: a cell is made of it. `event` is kept when it changes the rules; `said` tells how the
    rules contradict the log."""

    slot: Slot
    labels: tuple[object, ...]
    others: tuple[Slot, ...]
    sure: bool | None
    event: Event | None
    said: str | None


class _State:
    """The rule sets as the events so far have left them: path rules filed anew, rules of removed directories gone."""

    __slots__ = ("cells", "storages")

    def __init__(self, storages: tuple[Storage, ...]) -> None:
        self.storages = storages
        self.cells: dict[object, _Cell] = {}


class _Place:
    """A path object of an event with what a decision may ask of it, found once for many records."""

    __slots__ = ("ident", "key", "known", "name", "object")

    def __init__(self, thing: PathObject, key: object, ident: bytes | None, known: bool, name: str | None) -> None:
        self.object = thing
        self.key = key
        self.ident = ident
        self.known = known
        self.name = name


class Replayer:
    """Takes the events of a log one after the other; `tally` holds the sums after `finish`.

    `memory` keeps decisions from one piece to the next of the same question; it changes no result.
    """

    def __init__(self, question: Question, memory: dict[Any, Any] | None = None) -> None:
        self.tally = Tally()
        self._memory: dict[Any, _Decided] = {} if memory is None else memory
        self._q = question
        self._target = question.target
        storages = (question.rules, *question.others) if question.rules is not None else ()
        self._projection = Projection(storages) if storages else None
        self._states = [_State(storages)]
        self._known_states: dict[object, int] = {(): 0}
        self._state = self._states[0]
        self._number = 0
        self._names: dict[bytes, str] = {}
        self._paths: dict[bytes, tuple[PathRecord, _Place | None] | None] = {}
        self._placed: dict[object, _Place] = {}
        self._resolved: dict[object, list[_Place]] = {}
        self._minute = -1
        self._second = b""
        self._counts: dict[Slot, int] = {}
        self._low = self._high = self._run = 0
        self._node: bytes | None = None
        self._expected = len(question.rules.rules) if question.rules is not None else 0
        self._added = 0
        self._loading = False
        self._last_load = 0
        self._prefixes: dict[int, Storage] = {}
        self.tally.alternates = [Table() for _ in question.others]
        self._filtered = question.since is not None or question.until is not None or question.host is not None

    def take(self, event: list[Record]) -> None:
        """One event: its records in the order of the log."""
        node, kind, secs, ms, serial, body = event[0]
        if self._filtered and not self._wanted(node, secs, ms):
            return
        tally = self.tally
        tally.events += 1
        count = len(event)
        tally.records += count
        size = count * (20 + len(secs) + len(ms) + len(serial) + (len(node) + 6 if node else 0))
        if secs != self._second:
            self._new_second(secs, ms)
        number = int(serial)
        if number == self._high + 1 and node == self._node:
            self._high = number
            self._run += 1
        elif not kind.startswith(b"DAEMON_"):
            self._serial(node, number)
        groups: Groups | None = None
        kinds: list[bytes] = []
        places: list[bytes] = []
        for _, kind, _, _, _, body in event:
            size += len(kind) + len(body)
            if kind == b"PATH":
                places.append(body)
            elif kind == b"SYSCALL":
                match = records.SYSCALL.match(body)
                groups = match.groups() if match is not None else records.call_fields(body)
                if groups is None:
                    kinds.append(kind)
            elif kind != b"PROCTITLE" and kind != b"CWD":
                kinds.append(kind)
        tally.bytes += size
        cell = self._message(event, kinds) if groups is None else self._call(event, groups, kinds, places, node)
        cell.events += 1
        cell.bytes += size
        counts = self._counts
        slot = cell.slot
        counts[slot] = counts.get(slot, 0) + 1
        if cell.turns:
            self._turn(cell)

    def _wanted(self, node: bytes, secs: bytes, ms: bytes) -> bool:
        q = self._q
        time = int(secs) + int(ms) / 1000
        if (q.since is not None and time < q.since) or (q.until is not None and time > q.until):
            return False
        return q.host is None or node.decode("utf-8", "surrogateescape") == q.host

    def _new_second(self, secs: bytes, ms: bytes) -> None:
        """Once a second of the log: its first and last time, and the counts of a minute that is over."""
        tally = self.tally
        time = int(secs) * 1000 + int(ms[:3])
        if tally.first is None or time < tally.first:
            tally.first = time
        if tally.last is None or time > tally.last:
            tally.last = time
        minute = int(secs) // 60
        if minute != self._minute:
            if self._counts:
                tally.series.add(self._minute, self._counts)
                self._counts = {}
            self._minute = minute
        self._second = secs
        if self._loading and int(secs) - self._last_load > 10:
            self._loading = False

    def _serial(self, node: bytes, number: int) -> None:
        """A serial number that does not follow the one before."""
        if self._run:
            if node == self._node and self._high - 1000 < number < self._high + 100_000:
                self._low = min(self._low, number)
                self._high = max(self._high, number)
                self._run += 1
                return
            self._end_run()
        self._node = node
        self._low = self._high = number
        self._run = 1

    def _end_run(self) -> None:
        from auditlint.logs.tally import Serials

        host = (self._node or b"").decode("utf-8", "surrogateescape")
        if host in self.tally.serials or len(self.tally.serials) < 4096:
            self.tally.serials.setdefault(host, Serials()).add(self._low, self._high, self._run)

    # Events that no system call rule made

    def _message(self, event: list[Record], kinds: list[bytes]) -> _Cell:
        """An event without a SYSCALL record."""
        node, kind, _, _, _, body = event[0]
        if b"CONFIG_CHANGE" in kinds:
            self._config(event)
        fields = records.fields_of(body.partition(b" msg='")[0])
        inner = records.fields_of(body.partition(b" msg='")[2].rstrip(b"'\r")) if b" msg='" in body else {}
        exe = fields.get(b"exe") or inner.get(b"exe")
        comm = fields.get(b"comm") or inner.get(b"comm")
        key = (node, kind, exe, comm, fields.get(b"auid"))
        cells = self._state.cells
        cell = cells.get(key)
        if cell is None:
            name = kind.decode("ascii", "replace")
            if b"SYSCALL" in kinds:
                slot: Slot = ("unknown", NO_FIELDS)
            elif kind in (b"PATH", b"CWD", b"PROCTITLE", b"EXECVE", b"SOCKADDR", b"EOE"):
                slot = ("unknown", INCOMPLETE)
            else:
                slot = ("without", name)
            labels = (
                node.decode("utf-8", "surrogateescape"),
                None,
                records.text_of(exe),
                records.text_of(comm),
                _auid(fields.get(b"auid")),
                None,
                None,
                None,
                None,
                None,
                name,
            )
            cell = self._new_cell(key, slot, labels, ())
        return cell

    def _config(self, event: list[Record]) -> None:
        """CONFIG_CHANGE records tell which rules were added and removed."""
        tally = self.tally
        for _, kind, secs, _, _, body in event:
            if kind != b"CONFIG_CHANGE":
                continue
            fields = records.fields_of(body)
            operation = fields.get(b"op", b"").strip(b'"')
            if fields.get(b"res") == b"0":
                tally.count("refused")
            elif operation in (b"add_rule", b"add"):
                tally.count("added")
                key = records.text_of(fields.get(b"key")) or ""
                for word in key.split("\x01") if key else ():
                    tally.tables["key"].add(word, 1, 0)  # as aureport counts
                if key in tally.load_keys or len(tally.load_keys) < 4096:
                    tally.load_keys[key] = tally.load_keys.get(key, 0) + 1
                if not self._loading and self._added >= self._expected:
                    self._added = 0
                self._added += 1
                self._last_load = int(secs)
                self._loading = 0 < self._added < self._expected
            elif operation in (b"remove_rule", b"remove"):
                tally.count("removed")
                self._added = 0
            elif operation == b"updated_rules":
                tally.count("updated")
            elif b"audit_enabled" in fields:
                tally.count("switched")

    # Events of system calls

    def _call(self, event: list[Record], groups: Groups, kinds: list[bytes], places: list[bytes], node: bytes) -> _Cell:
        """An event with a SYSCALL record: the cell that counts it."""
        if b"CONFIG_CHANGE" in kinds:
            self._config(event)
        projection = self._projection
        if projection is None:
            return self._keyed(groups, kinds, node)
        plan = projection.plan(groups[0], groups[1])
        key: object = plan.getter(groups)
        if plan.flags >= 0:
            key = (key, (groups[plan.flags] or b"")[-1:])
        if places:
            seen = self._places(event, places, groups, plan)
            if plan.objects:
                key = (key, *[place.key for place in seen]) if len(seen) == len(places) else (key, None)
        else:
            seen = []
            if groups[records.ITEMS] not in (b"0", None):
                key = (key, groups[records.ITEMS])
        if kinds or node:
            key = (key, node, *kinds)
            if b"SOCKADDR" in kinds and plan.family:
                key = (key, next(body[:13] for _, kind, _, _, _, body in event if kind == b"SOCKADDR"))
        if self._loading:
            key = (key, self._added)
        cells = self._state.cells
        cell = cells.get(key)
        if cell is None:
            cell = self._decide(key, event, groups, kinds, seen, len(places), node)
        if seen:
            self._widen_area(cell, seen)
            if self._q.paths:
                self._count_path(cell, seen)
        else:
            cell.area = ""
        return cell

    def _widen_area(self, cell: _Cell, seen: list[_Place]) -> None:
        """Make the area of a cell hold the last object of an event."""
        place = seen[-1]
        name, area = place.name or (place.object.name if place.object.mode is not None else None), cell.area
        if name is None or name[:1] != "/":
            cell.area = ""
        elif area is None:
            cell.area = name[: name.rfind("/") + 1]
        elif not name.startswith(area):
            cell.area = common_area(area, name)

    def _keyed(self, groups: Groups, kinds: list[bytes], node: bytes) -> _Cell:
        """Without rules: counted by what the record says."""
        key = (*groups[:2], groups[3], groups[12], *groups[14:16], groups[17], node)
        cell = self._state.cells.get(key)
        if cell is None:
            text = records.text_of(groups[records.KEY])
            labels = self._labels(groups, kinds, node, text)
            slot: Slot = ("without", labels[-1]) if text is None and records.foreign(kinds) else ("key", text)
            cell = self._new_cell(key, slot, labels, ())
        return cell

    def _labels(self, groups: Groups, kinds: list[bytes], node: bytes, key: str | None) -> tuple[object, ...]:
        ids = dict(pair.partition(b"=")[::2] for pair in (groups[records.IDS] or b"").split(b" "))
        arch = int(groups[0] or b"0", 16)
        foreign = records.foreign(kinds)
        return (
            node.decode("utf-8", "surrogateescape"),
            key,
            records.text_of(groups[records.EXE]),
            records.text_of(groups[records.COMM]),
            _auid(ids.get(b"auid")),
            call_name(arch, int(groups[1] or b"0"), self._target.auditctl),
            arch,
            {b"yes": True, b"no": False}.get(groups[records.SUCCESS] or b""),
            _auid(ids.get(b"uid")),
            _auid(ids.get(b"euid")),
            foreign[0] if foreign else "SYSCALL",
        )

    def _decide(
        self,
        key: object,
        event: list[Record],
        groups: Groups,
        kinds: list[bytes],
        seen: list[_Place],
        number: int,
        node: bytes,
    ) -> _Cell:
        memory = self._memory if self._number == 0 else {}
        decided = memory.get(key)
        if decided is None:
            decided = self._judge(event, groups, kinds, seen, number, node)
            if len(memory) >= MOST_CELLS:
                memory.clear()
            memory[key] = decided
        cell = self._new_cell(key, decided.slot, decided.labels, decided.others)
        cell.sure, cell.event, cell.turns = decided.sure, decided.event, decided.event is not None
        if decided.said is not None:
            _, _, secs, ms, serial, _ = event[0]
            stamp = b".".join((secs, ms)) + b":" + serial
            self.tally.example("differs", f"audit({stamp.decode()}): {decided.said}")
        return cell

    def _judge(
        self,
        event: list[Record],
        groups: Groups,
        kinds: list[bytes],
        seen: list[_Place],
        number: int,
        node: bytes,
    ) -> _Decided:
        text = records.text_of(groups[records.KEY])
        made = self._event(event, groups, kinds, seen, number)
        foreign = records.foreign(kinds)
        storages = self._state.storages
        rules = storages[0]
        outcomes = possible(rules, made)
        sure, winners = _consistent(outcomes, text, bool(foreign))
        if self._loading and any(winner is None or winner >= self._added for winner in winners or {None}):
            rules = self._prefix(self._added)
            outcomes = possible(rules, made)
            sure, winners = _consistent(outcomes, text, bool(foreign))
        slot = self._slot(winners, sure, made, foreign)
        others: tuple[Slot, ...] = ()
        if slot[0] in ("rule", "either"):
            first = len(storages) - self._q.tried
            others = tuple(
                _other(possible(storage, made), outcomes, text, first <= number)
                for number, storage in enumerate(storages[1:], 1)
            )
        if seen and made.exe and seen[0].ident is not None and seen[0].name is not None:
            self._started(groups, seen[0], made.exe)
        turns = any(place.object.type in ("CREATE", "DELETE") for place in seen) and made.outcome.success
        return _Decided(
            slot,
            self._labels(groups, kinds, node, text),
            others,
            sure if slot[0] in ("rule", "either") else None,
            made if turns else None,
            _difference(outcomes, text) if slot == ("unknown", CONTRADICTION) else None,
        )

    def _started(self, groups: Groups, place: _Place, exe: str) -> None:
        """The name under which a program was started."""
        name = call_name(int(groups[0] or b"0", 16), int(groups[1] or b"0"), self._target.auditctl)
        starts = self.tally.starts
        if name not in ("execve", "execveat") or place.name is None or place.ident is None:
            return
        if place.name in starts or len(starts) < MOST_STARTS:
            starts[place.name] = (exe, place.ident)

    def _slot(self, winners: set[int | None], sure: bool, made: Event, foreign: tuple[str, ...]) -> Slot:
        if len(winners) == 1:
            (winner,) = winners
            if winner is None:
                return ("without", foreign[0])
            return ("rule", winner)
        if not winners:
            return ("unknown", LOADING if self._loading else CONTRADICTION)
        if None in winners:
            return ("unknown", UNKNOWN_FACTS)
        if made.objects is None or any(
            thing.mode is not None and thing.file is None and not (thing.name or "").startswith("/")
            for thing in made.objects
        ):
            return ("unknown", UNKNOWN_OBJECT)
        return ("either", tuple(sorted(winner for winner in winners if winner is not None)))

    def _prefix(self, count: int) -> Storage:
        """The rules that were loaded so far."""
        from auditlint.kernel.storage import Storage

        known = self._prefixes.get(count)
        if known is None:
            rules = self._state.storages[0]
            if len(self._prefixes) >= _MOST_PREFIXES:
                self._prefixes.clear()
            known = Storage([stored for stored in rules.rules if stored.index < count], rules.target, rules.facts)
            self._prefixes[count] = known
        return known

    def _event(self, event: list[Record], groups: Groups, kinds: list[bytes], seen: list[_Place], number: int) -> Event:
        """The event as the kernel's filters saw it."""
        arch = int(groups[0] or b"0", 16)
        family: Number | None = None
        flags: Number = 0
        if b"OPENAT2" in kinds:
            body = next(record[5] for record in event if record[1] == b"OPENAT2")
            flags = records.number_of(records.fields_of(body).get(b"oflag"), 8)
        elif call_name(arch, int(groups[1] or b"0"), self._target.auditctl) == "openat2":
            flags = ANY
        if b"SOCKADDR" in kinds:
            body = next(record[5] for record in event if record[1] == b"SOCKADDR")
            family = records.family_of(body, not arch & 0x40000000)
        objects: tuple[PathObject, ...] | None = tuple(place.object for place in seen)
        items = records.number_of(groups[records.ITEMS])
        if len(seen) != number or (isinstance(items, int) and items != number):
            objects = None
        exe = groups[records.EXE]
        program = records.text_of(exe)
        if program is not None and program.endswith(" (deleted)"):
            program = None
        subject = groups[records.SUBJ]
        return Event(
            nr=int(groups[1] or b"0"),
            arch=arch,
            args=(
                records.number_of(groups[5], 16, (1 << 64) - 1),
                records.number_of(groups[6], 16, (1 << 64) - 1),
                records.number_of(groups[7], 16, (1 << 64) - 1),
                records.number_of(groups[8], 16, (1 << 64) - 1),
            ),
            outcome=records.outcome_of(groups),
            ids=records.ids_of(groups[records.IDS]),
            pid=records.number_of(groups[records.PID]),
            ppid=records.number_of(groups[records.PPID]),
            pers=records.number_of(groups[records.PERS], 16) if groups[records.PERS] is not None else 0,
            session=records.number_of(groups[records.SES]),
            exe="" if exe == b"(null)" else program,
            family=family,
            flags=flags,
            label=None if subject is None else subject.decode("utf-8", "surrogateescape"),
            objects=objects,
            records=tuple(record[1].decode("ascii", "replace") for record in event),
        )

    # Path objects

    def _places(self, event: list[Record], bodies: list[bytes], groups: Groups, plan: object) -> list[_Place]:
        """The path objects in the kernel's order; fewer than the records when one is damaged."""
        memory = self._paths
        simple: list[_Place] = []
        parsed: list[PathRecord] = []
        names = self._names
        plain = True
        for body in bodies:
            known = memory.get(body, 0)
            if known == 0:
                known = self._read(body)
            if known is None:
                return []
            record, place = known  # type: ignore[misc]
            parsed.append(record)
            if place is None:
                plain = False
            else:
                simple.append(place)
        if plain:
            for place in simple:
                if place.ident is not None and place.name is not None:
                    names[place.ident] = place.name
            if len(names) > MOST_NAMES:
                names.clear()
            return simple
        return self._resolve(event, bodies, parsed, groups, plan)

    def _read(self, body: bytes) -> tuple[PathRecord, _Place | None] | None:
        """Parse a PATH record, and place it when its name is absolute or it is a bare name."""
        if len(self._paths) >= _MOST_PATHS:
            self._paths.clear()
        record = records.path_record(body)
        found: tuple[PathRecord, _Place | None] | None = None
        if record is not None:
            thing = record.object
            place = None
            if thing.mode is None or (thing.name is not None and thing.name.startswith("/")):
                place = self._place_of(thing, record.ident)
                if thing.type == "DELETE":
                    place.name = None
                self._notice(thing)
            found = (record, place)
        self._paths[body] = found
        return found

    def _place_of(self, thing: PathObject, ident: bytes | None) -> _Place:
        key = self._projection.path_key(thing) if self._projection is not None else None
        name = thing.name if thing.mode is not None else None
        return _Place(thing, key, ident, True, name)

    def _notice(self, thing: PathObject) -> None:
        """Evidence of what a place is that a rule names."""
        if thing.mode is None or thing.name is None or self._projection is None:
            return
        name = thing.name.rstrip("/") or "/"
        if name in self._projection.points and thing.type != "DELETE":
            what = {0o040000: "directory", 0o100000: "file"}.get(thing.mode & 0o170000)
            if what is not None:
                kinds = self.tally.kinds
                kinds[name] = what if kinds.get(name, what) == what else "both"
                if thing.inode is not None:
                    self.tally.inodes[name] = thing.inode

    def _learn(self, seen: list[_Place]) -> list[_Place]:
        """Remember the names of inodes, and forget those that are gone."""
        names = self._names
        for place in seen:
            if place.ident is not None:
                if place.object.type == "DELETE":
                    names.pop(place.ident, None)
                elif place.name is not None:
                    names[place.ident] = place.name
        return seen

    def _resolve(
        self, event: list[Record], bodies: list[bytes], parsed: list[PathRecord], groups: Groups, plan: object
    ) -> list[_Place]:
        """Path objects of which some have a name relative to a directory, or none at all."""
        from auditlint.logs.projection import CallPlan

        assert isinstance(plan, CallPlan)
        at_cwd = at_working_directory(plan, groups)
        cwd = None
        if at_cwd:
            body = next((record[5] for record in event if record[1] == b"CWD"), None)
            cwd = records.text_of(records.fields_of(body).get(b"cwd")) if body is not None else None
        memo_key = (cwd, *bodies)
        if cwd is not None:
            again = self._resolved.get(memo_key)
            if again is not None:
                return self._learn(again)
        parsed = sorted(parsed, key=lambda record: record.item)
        names = self._names
        relative = any(record.relative for record in parsed)
        parents = {
            names.get(record.ident) for record in parsed if record.object.type == "PARENT" and record.ident is not None
        }
        parent = next(iter(parents)) if len(parents) == 1 else None
        found: list[_Place] = []
        for record in parsed:
            thing = record.object
            path: str | None = None
            if thing.mode is not None:
                if thing.type == "PARENT" and relative and not at_cwd:
                    # Below a descriptor the kernel shows the working directory in place of the parent's name.
                    path = names.get(record.ident) if record.ident is not None else None
                    thing = replace(thing, name=None)
                elif thing.name is not None and thing.name.startswith("/"):
                    path = thing.name
                elif thing.name is not None and cwd is not None:
                    path = _join(cwd, thing.name)
                elif thing.name is not None and parent is not None and thing.type != "PARENT":
                    path = _join(parent, thing.name.rpartition("/")[2])
                elif record.ident is not None:
                    path = names.get(record.ident)
            memo = (thing, path)
            place = self._placed.get(memo)
            if place is None:
                if len(self._placed) >= _MOST_PATHS:
                    self._placed.clear()
                if path is not None and path != thing.name:
                    named = thing.name is not None
                    thing = replace(thing, name=path if named else None, file=path)
                place = self._place_of(thing, record.ident)
                if path is None and thing.mode is not None:
                    place.known = False
                    place.key = (place.key, record.ident)
                place.name = path
                self._placed[memo] = place
                if path is not None:
                    self._notice(replace(thing, name=path))
            found.append(place)
        if cwd is not None and all(record.object.mode is None or record.object.name is not None for record in parsed):
            if len(self._resolved) >= _MOST_PATHS:
                self._resolved.clear()
            self._resolved[memo_key] = found
        return self._learn(found)

    def _count_path(self, cell: _Cell, seen: list[_Place]) -> None:
        for place in seen:
            if place.object.type != "PARENT":
                name = place.name or place.object.name
                if name is not None:
                    self.tally.paths.add((cell.slot, name), 1, 0)
                    return

    # States and sums

    def _turn(self, cell: _Cell) -> None:
        """After a successful call that made or removed names: the rules as the next event finds them."""
        if cell.next_state is None:
            assert cell.event is not None
            storages = tuple(behind(storage, cell.event) or storage for storage in self._state.storages)
            start = self._states[0].storages
            if len(self._known_states) == 1:
                self._known_states = {_signature(start): 0}
            known = self._known_states.get(_signature(storages))
            if known is None:
                if len(self._states) >= _MOST_STATES:
                    self.tally.count("states")
                    cell.turns = False
                    return
                known = len(self._states)
                self._known_states[_signature(storages)] = known
                self._states.append(_State(storages))
            cell.next_state = known
        if cell.next_state != self._number:
            self._number = cell.next_state
            self._state = self._states[cell.next_state]
            self._prefixes.clear()
        else:
            cell.turns = False

    def _new_cell(self, key: object, slot: Slot, labels: tuple[object, ...], others: tuple[Slot, ...]) -> _Cell:
        cells = self._state.cells
        if len(cells) >= MOST_CELLS:
            self._flush(self._state)
        cell = cells[key] = _Cell(slot, labels, others)
        return cell

    def _flush(self, state: _State) -> None:
        """Add the cells to the tables."""
        tally = self.tally
        tables = tally.tables
        for cell in state.cells.values():
            events, size, slot = cell.events, cell.bytes, cell.slot
            host, key, exe, comm, auid, call, arch, success, uid, euid, kind = cell.labels
            wanted = self._q.key
            if wanted is not None and (not isinstance(key, str) or wanted not in key.split("\x01")):
                continue
            if cell.sure is not None:
                tally.count("by_rules" if cell.sure else "by_key", events)
            tables["rule"].add(slot, events, size)
            tables["type"].add(kind, events, size)
            tables["host"].add(host, events, size)
            if key is not None:
                for word in str(key).split("\x01"):
                    tables["key"].add(word, events, size)
            if exe is not None:
                tables["exe"].add(exe, events, size)
            if comm is not None:
                tables["comm"].add(comm, events, size)
            if auid is not None:
                tables["auid"].add(auid, events, size)
            if call is not None:
                tables["call"].add(call, events, size)
            tally.joint.add((slot, key, exe, comm, auid, call, arch, success, uid, euid), events, size)
            if slot[0] == "rule" and exe is not None:
                area = cell.area or ""
                known = tally.areas.get((slot, exe, arch))
                if known is not None:
                    tally.areas[slot, exe, arch] = common_area(known, area)
                elif len(tally.areas) < MOST_STARTS:
                    tally.areas[slot, exe, arch] = area
            for number, other in enumerate(cell.others):
                tally.alternates[number].add((slot, other), events, size)
        state.cells.clear()

    def finish(self) -> Tally:
        """The sums, when all events have been taken."""
        for state in self._states:
            self._flush(state)
        if self._counts:
            self.tally.series.add(self._minute, self._counts)
            self._counts = {}
        if self._run:
            self._end_run()
            self._run = 0
        return self.tally


def _difference(outcomes: list[Decision], key: str | None) -> str:
    said = " or ".join(
        dict.fromkeys(
            "not recorded" if not decision.logged else f"key {shown(decision.key or '(null)')}" for decision in outcomes
        )
    )
    return f"key {shown(key or '(null)')}, by the rules {said}"


def _signature(storages: tuple[Storage, ...]) -> object:
    return tuple(
        (
            tuple((stored.index, stored.filed) for stored in storage.hashed),
            tuple(stored.index for stored in storage.exit),
        )
        for storage in storages
    )


def _join(directory: str, name: str) -> str:
    if name in ("", "."):
        return directory
    return f"{directory.rstrip('/')}/{name}"


def _auid(word: bytes | None) -> int | None:
    number = records.number_of(word)
    return number if isinstance(number, int) else None


def _consistent(found: list[Decision], key: str | None, foreign: bool) -> tuple[bool, set[int | None]]:
    """Whether the rules alone decide, and the rules that may have made a record with this key (None: another part of
    the kernel made it)."""
    winners: set[int | None] = set()
    for decision in found:
        if decision.logged is False:
            if decision.by is None and foreign and key is None:
                winners.add(None)
        elif decision.key == key and (decision.by is not None or foreign):
            winners.add(decision.by.index if decision.by is not None else None)
    return len(found) == 1, winners


def _deciders(found: list[Decision]) -> set[tuple[object, ...]]:
    return {(each.logged, each.key, None if each.by is None else each.by.rule) for each in found}


def _other(found: list[Decision], recorded: list[Decision], key: str | None, superset: bool) -> Slot:
    """What another rule set makes of a recorded event: kept, renamed, lost, or not known. Where the same equal rules
    may decide in both sets, whatever decided did so in both."""
    if _deciders(found) == _deciders(recorded):
        return ("kept", None)
    if superset:
        # What decides among more rules would have decided among fewer as well; the key in the log says that it did not.
        refuted = {
            each.by.rule for each in recorded if each.by is not None and (each.logged is False or each.key != key)
        }
        found = [each for each in found if each.by is not None and each.by.rule not in refuted] or found
    logged = {decision.logged for decision in found}
    if logged == {False}:
        return ("lost", None)
    if logged != {True}:
        return ("unknown", None)
    keys = {decision.key for decision in found}
    if keys == {key}:
        return ("kept", None)
    return ("renamed", keys.pop()) if len(keys) == 1 else ("kept", "not known")
