"""The log in pieces: a pure function from the lines of a piece to a summary, and the sum of the summaries in order.

An event may begin in one piece and end in the next (a rotated file, a range of bytes). Each piece hands over the events
that lack a beginning or an end, and the sum puts them together.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass
from auditlint.logs.assembly import Assembler, is_continuation, stamp_of
from auditlint.logs.replayer import Replayer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from auditlint.logs.assembly import Record
    from auditlint.logs.replayer import Question
    from auditlint.logs.tally import Tally

_FIRST_EVENTS = 512
"""Only among so many events of a piece the continuation of an event of the piece before is looked for."""


@dataclass(frozen=True, slots=True)
class PieceSummary:
    """What a piece adds: its sums, the events whose beginning is missing, and those that may go on."""

    tally: Tally
    source: str
    heads: list[list[Record]]
    tails: list[list[Record]]


def summarize(
    question: Question,
    chunks: Callable[[Callable[[str, int], None]], Iterable[bytes]],
    source: str = "",
    convert: Callable[[bytes], bytes | None] | None = None,
    each: Callable[[int], None] | None = None,
    memory: dict[Any, Any] | None = None,
) -> PieceSummary:
    """The summary of a piece. `chunks(skip)` gives its whole lines; `each` hears the size of every chunk. `memory` is a
    dictionary that the pieces of one question share."""
    replayer = Replayer(question, memory)
    tally = replayer.tally
    heads: list[list[Record]] = []

    def take(event: list[Record]) -> None:
        if tally.events < _FIRST_EVENTS and is_continuation(event):
            heads.append(event)
        else:
            replayer.take(event)

    def lost(number: int) -> None:
        tally.count("lost_reports")
        tally.lost = max(tally.lost, number)

    assembler = Assembler(take, tally.skip, lost, convert)
    for chunk in chunks(tally.skip):
        assembler.feed(chunk)
        if each is not None:
            each(len(chunk))
    tails = assembler.unfinished()
    return PieceSummary(replayer.finish(), source, heads, tails)


class Sum:
    """Adds summaries in the order of the pieces."""

    def __init__(self, question: Question) -> None:
        from auditlint.logs.tally import Tally

        self._question = question
        self._total = Tally()
        self._open: dict[object, list[Record]] = {}
        self._source = ""

    def add(self, piece: PieceSummary) -> None:
        joined: list[list[Record]] = []
        if piece.source != self._source:
            joined += self._open.values()
            self._open = {}
            self._source = piece.source
        for head in piece.heads:
            begun = self._open.pop(stamp_of(head), None)
            joined.append([*begun, *head] if begun is not None else head)
        joined += self._open.values()
        self._take(joined)
        self._total.merge(piece.tally)
        self._open = {stamp_of(event): event for event in piece.tails}

    def finish(self) -> Tally:
        self._take(list(self._open.values()))
        self._open = {}
        return self._total

    def _take(self, events: list[list[Record]]) -> None:
        if not events:
            return
        replayer = Replayer(self._question)
        for event in events:
            replayer.take(event)
        self._total.merge(replayer.finish())
