"""Events from the lines of a log: records put together by node, time and serial number, with bounded memory.

auditd writes the records of an event one after the other, but those of several processors and of its own messages mix.
An event is complete at its PROCTITLE or EOE record, when it is a message of a program, when other events of two
seconds later have come, or when too many are open.
"""

from __future__ import annotations

import re

from auditlint.logs.records import LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Record: TypeAlias = "tuple[bytes, bytes, bytes, bytes, bytes, bytes]"
    """Node, type, seconds, milliseconds, serial number, rest of the line."""
    Stamp: TypeAlias = "tuple[bytes, bytes, bytes, bytes]"
    """Node, seconds, milliseconds, serial number."""
    Take: TypeAlias = "Callable[[list[Record]], None]"

LONGEST_LINE = 1 << 16
"""A longer line is no record: the kernel cuts records at 8,970 bytes (MAX_AUDIT_MESSAGE_LENGTH), enriched ones are
below twice that."""
MOST_OPEN = 256
MOST_RECORDS = 4096
"""More records than this are not put into one event."""
_PATIENCE = 2
"""Seconds that an event without an end is waited for."""
_ENDS = frozenset((b"PROCTITLE", b"EOE"))
_SINGLE = re.compile(
    rb"USER_|CRED_|DAEMON_|SERVICE_|SYSTEM_|CRYPTO_|VIRT_|ADD_|DEL_|GRP_|ROLE_|LABEL_|ACCT_|CHUSER_ID|USYS_|TEST$"
)
"""Types that programs send: events of one record."""
_SEPARATORS = re.compile(rb"(?:-{2,}|time->.*|<no matches>)?\s*$")
"""What ausearch prints between events."""
_LOST = re.compile(rb"audit_lost=(\d{1,10})")
_CONTINUES = frozenset((b"PATH", b"CWD", b"EXECVE", b"PROCTITLE", b"SOCKADDR", b"EOE", b"OBJ_PID", b"BPRM_FCAPS"))
"""Types that no event begins with."""


def stamp_of(event: list[Record]) -> Stamp:
    """What names an event."""
    record = event[0]
    return record[0], record[2], record[3], record[4]


def is_continuation(event: list[Record]) -> bool:
    """Whether the beginning of an event is missing."""
    return event[0][1] in _CONTINUES


class Assembler:
    """Puts records together and gives each event to `take`. `skip(reason, bytes)` hears of lines that are no records,
    `lost(number)` of records that the kernel says it has lost."""

    def __init__(
        self,
        take: Take,
        skip: Callable[[str, int], None],
        lost: Callable[[int], None],
        convert: Callable[[bytes], bytes | None] | None = None,
    ) -> None:
        self._take = take
        self._skip = skip
        self._lost = lost
        self._convert = convert
        self._current: list[Record] = []
        self._open: dict[Stamp, list[Record]] = {}

    def feed(self, data: bytes) -> None:
        """Whole lines of a log."""
        found: list[Record] = LINE.findall(data)
        if len(found) != data.count(b"\n") + (not data.endswith(b"\n")):
            self._feed_slowly(data)
            return
        self._add(found)

    def _add(self, found: list[Record]) -> None:
        current = self._current
        if current:
            node, _, secs, ms, serial, _ = current[0]
        else:
            node = secs = ms = serial = b""
        waiting = self._open
        take, single = self._take, _SINGLE.match
        for record in found:
            if record[4] == serial and record[3] == ms and record[2] == secs and record[0] == node:
                current.append(record)
                continue
            if current:
                kind = current[-1][1]
                if kind == b"PROCTITLE" or kind == b"EOE" or single(kind) is not None:
                    take(current)
                else:
                    waiting[node, secs, ms, serial] = current
            node, _, secs, ms, serial, _ = record
            if waiting:
                before = waiting.pop((node, secs, ms, serial), None)
                if before is not None and len(before) < MOST_RECORDS:
                    current = before
                    current.append(record)
                    continue
                if before is not None:
                    take(before)
                self._close_old(secs)
            current = [record]
        self._current = current

    def _close_old(self, secs: bytes) -> None:
        waiting = self._open
        limit = int(secs) - _PATIENCE
        while waiting:
            stamp = next(iter(waiting))
            if len(waiting) <= MOST_OPEN and int(stamp[1]) >= limit:
                break
            self._take(waiting.pop(stamp))

    def _feed_slowly(self, data: bytes) -> None:
        """A chunk that holds lines of other forms, or none at all."""
        batch: list[Record] = []
        for line in data.split(b"\n"):
            match = LINE.match(line)
            if match is None and line:
                converted = self._convert(line) if self._convert is not None and len(line) <= LONGEST_LINE else None
                match = LINE.match(converted) if converted is not None else None
            if match is not None:
                batch.append(match.groups(b""))  # type: ignore[arg-type]
            elif not _SEPARATORS.match(line[:LONGEST_LINE]):
                self._refuse(line)
        self._add(batch)

    def _refuse(self, line: bytes) -> None:
        lost = _LOST.search(line[:LONGEST_LINE])
        if lost is not None:
            self._lost(int(lost[1]))
        elif b"backlog limit exceeded" in line[:LONGEST_LINE]:
            self._lost(0)
        elif len(line) > LONGEST_LINE:
            self._skip("longer than 64 KiB", len(line) + 1)
        elif b"\0" in line:
            self._skip("binary data", len(line) + 1)
        elif line.startswith((b"type=", b"node=")):
            self._skip("damaged records", len(line) + 1)
        else:
            self._skip("other lines", len(line) + 1)

    def unfinished(self) -> list[list[Record]]:
        """At the end of a piece of a log: the events that may go on in the next one. They are not taken."""
        current = self._current
        if current and (current[-1][1] in _ENDS or _SINGLE.match(current[-1][1])):
            self._take(current)
            current = []
        rest = [*self._open.values(), *([current] if current else [])]
        self._open.clear()
        self._current = []
        return rest
