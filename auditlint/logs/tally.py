"""Sums over events that can be added up: of pieces of a log, of files, of hosts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Slot: TypeAlias = "tuple[str, object]"
    """Where an event is counted: `("rule", index)`, `("either", indexes)`, `("without", type)`, `("key", key)` without
    rules, or `("unknown", cause)`."""

MOST_LABELS = 20_000
"""A table with more different labels keeps the larger half of them; the others are counted together."""
MINUTE = 60
MOST_MINUTES = 20_160
"""Two weeks. A longer log is drawn in wider columns."""
MOST_SEGMENTS = 1_000
MOST_STARTS = 4_096
_REBOOT = 1_000
"""A serial number so much smaller than the one before it was given after a restart."""


def common_area(one: str, two: str) -> str:
    """The deepest directory that holds both, with a slash at its end; "" when one has no place."""
    if not one or not two:
        return ""
    while not two.startswith(one):
        one = one[: one.rfind("/", 0, -1) + 1]
    return one


class Table:
    """Events and bytes by label. `rest` holds those of labels that were too many to keep."""

    __slots__ = ("rest", "rows")

    def __init__(self) -> None:
        self.rows: dict[Any, list[int]] = {}
        self.rest = [0, 0]

    def add(self, label: Any, events: int, size: int) -> None:
        row = self.rows.get(label)
        if row is None:
            if len(self.rows) >= MOST_LABELS:
                self._prune()
            self.rows[label] = [events, size]
        else:
            row[0] += events
            row[1] += size

    def merge(self, other: Table) -> None:
        for label, (events, size) in other.rows.items():
            self.add(label, events, size)
        self.rest[0] += other.rest[0]
        self.rest[1] += other.rest[1]

    def _prune(self) -> None:
        ranked = sorted(self.rows.items(), key=lambda row: (-row[1][0], -row[1][1], repr(row[0])))
        for _, (events, size) in ranked[MOST_LABELS // 2 :]:
            self.rest[0] += events
            self.rest[1] += size
        self.rows = dict(ranked[: MOST_LABELS // 2])

    def ranked(self, by_bytes: bool = False) -> list[tuple[Any, list[int]]]:
        """The rows, the largest first; equal ones in the order of their labels."""
        first, second = (1, 0) if by_bytes else (0, 1)
        return sorted(self.rows.items(), key=lambda row: (-row[1][first], -row[1][second], repr(row[0])))


class Series:
    """Events by slot and minute, and the busiest minute of each slot. `width` grows when the time is long."""

    __slots__ = ("columns", "peaks", "width")

    def __init__(self) -> None:
        self.width = MINUTE
        self.columns: dict[int, dict[Slot, int]] = {}
        self.peaks: dict[Slot, int] = {}

    def add(self, minute: int, counts: dict[Slot, int]) -> None:
        """Counts of a minute, given by its number since 1970."""
        column = self.columns.setdefault(minute * MINUTE // self.width, {})
        for slot, events in counts.items():
            column[slot] = column.get(slot, 0) + events
            high = column[slot] if self.width == MINUTE else events
            if high > self.peaks.get(slot, 0):
                self.peaks[slot] = high
        if len(self.columns) > MOST_MINUTES:
            self._widen(self.width * 2)

    def merge(self, other: Series) -> None:
        width = max(self.width, other.width)
        for series in (self, other):
            if series.width < width:
                series._widen(width)
        for slot, high in other.peaks.items():
            self.peaks[slot] = max(high, self.peaks.get(slot, 0))
        for number, counts in other.columns.items():
            column = self.columns.setdefault(number, {})
            for slot, events in counts.items():
                column[slot] = column.get(slot, 0) + events
                if width == MINUTE:
                    self.peaks[slot] = max(column[slot], self.peaks.get(slot, 0))
        while len(self.columns) > MOST_MINUTES:
            self._widen(self.width * 2)

    def _widen(self, width: int) -> None:
        columns: dict[int, dict[Slot, int]] = {}
        for number, counts in self.columns.items():
            column = columns.setdefault(number * self.width // width, {})
            for slot, events in counts.items():
                column[slot] = column.get(slot, 0) + events
        self.columns, self.width = columns, width


class Serials:
    """The serial numbers of one machine: how many are missing between the smallest and the largest of each boot."""

    __slots__ = ("segments",)

    def __init__(self) -> None:
        self.segments: list[list[int]] = []
        """[smallest, largest, number of events] of each run without restart."""

    def add(self, low: int, high: int, events: int) -> None:
        """A run of serial numbers that follows those so far."""
        last = self.segments[-1] if self.segments else None
        if last is not None and low > last[1] - _REBOOT:
            last[0] = min(last[0], low)
            last[1] = max(last[1], high)
            last[2] += events
        elif len(self.segments) < MOST_SEGMENTS:
            self.segments.append([low, high, events])

    def merge(self, other: Serials) -> None:
        for low, high, events in other.segments:
            self.add(low, high, events)

    @property
    def missing(self) -> int:
        return sum(max(0, high - low + 1 - events) for low, high, events in self.segments)


TABLES = ("rule", "key", "exe", "comm", "auid", "call", "host", "path", "type")
"""What events are counted by."""
MOST_EXAMPLES = 5


class Tally:
    """All that is kept of a piece of a log. `merge` adds the next piece; order matters only for serial numbers and for
    the examples that are shown."""

    def __init__(self) -> None:
        self.events = 0
        self.records = 0
        self.bytes = 0
        self.skipped: dict[str, list[int]] = {}
        """Lines and bytes that are no records, by reason."""
        self.first: int | None = None
        self.last: int | None = None
        """Milliseconds of the first and the last event."""
        self.tables: dict[str, Table] = {name: Table() for name in TABLES}
        self.joint = Table()
        """By slot, key, exe, comm, auid, call, arch, success, uid and euid together."""
        self.paths = Table()
        """By slot and path."""
        self.alternates: list[Table] = []
        """For each other rule set: by slot of the rules and what it makes of the events."""
        self.series = Series()
        self.serials: dict[str, Serials] = {}
        self.counts: dict[str, int] = {}
        """Agreement, loads, lost records: see replay.py."""
        self.lost = 0
        """The largest number of lost records that the kernel has told."""
        self.load_keys: dict[str, int] = {}
        """Keys of the rules that the log shows being added, with how often."""
        self.examples: dict[str, list[str]] = {}
        self.kinds: dict[str, str] = {}
        """Whether a place that a rule names is a `directory` or a `file`, or `both` at different times."""
        self.inodes: dict[str, int] = {}
        """Inode numbers, seen last, of places that a rule names."""
        self.areas: dict[Any, str] = {}
        """By slot, program and ABI the directory that holds an object of each event, with a slash; "" for none."""
        self.starts: dict[str, tuple[str, bytes]] = {}
        """Names of programs that were started: the program that ran, and device and inode of the name."""

    def count(self, name: str, events: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + events

    def skip(self, reason: str, size: int, lines: int = 1) -> None:
        row = self.skipped.setdefault(reason, [0, 0])
        row[0] += lines
        row[1] += size

    def example(self, kind: str, text: str) -> None:
        kept = self.examples.setdefault(kind, [])
        if len(kept) < MOST_EXAMPLES:
            kept.append(text)

    def merge(self, other: Tally) -> None:
        self.events += other.events
        self.records += other.records
        self.bytes += other.bytes
        for reason, (lines, size) in other.skipped.items():
            self.skip(reason, size, lines)
        self.first = min((time for time in (self.first, other.first) if time is not None), default=None)
        self.last = max((time for time in (self.last, other.last) if time is not None), default=None)
        for name, table in other.tables.items():
            self.tables[name].merge(table)
        self.lost = max(self.lost, other.lost)
        self.joint.merge(other.joint)
        self.paths.merge(other.paths)
        for number, table in enumerate(other.alternates):
            if number == len(self.alternates):
                self.alternates.append(Table())
            self.alternates[number].merge(table)
        self.series.merge(other.series)
        for host, serials in other.serials.items():
            self.serials.setdefault(host, Serials()).merge(serials)
        for name, events in other.counts.items():
            self.count(name, events)
        for key, rules in other.load_keys.items():
            self.load_keys[key] = self.load_keys.get(key, 0) + rules
        for kind, texts in other.examples.items():
            for text in texts:
                self.example(kind, text)
        for place, what in other.kinds.items():
            self.kinds[place] = what if self.kinds.get(place, what) == what else "both"
        for source, area in other.areas.items():
            known = self.areas.get(source)
            if known is None and len(self.areas) < MOST_STARTS:
                self.areas[source] = area
            elif known is not None:
                self.areas[source] = common_area(known, area)
        self.inodes.update(other.inodes)
        for name, start in other.starts.items():
            if name in self.starts or len(self.starts) < MOST_STARTS:
                self.starts[name] = start
