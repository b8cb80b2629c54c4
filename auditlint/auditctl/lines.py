"""Cuts the bytes of a rule file into the pieces that auditctl reads as lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BUFFER = 6143
"""Most bytes that auditctl takes for one line, LF included (LINE_SIZE 6144 in src/auditctl.c, fgets)."""


def pieces(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Every piece as (line number, part, start, end), in order, blank and comment ones too.

    The number is that of the source line, from 1; the part counts the pieces of a line too long for the buffer,
    from 0. `end` is exclusive and leaves out the LF. A piece may hold a NUL byte; see `readable_end`. A line whose
    LF does not fit into the buffer any more leaves an empty last piece, as it does in auditctl. The pieces and
    the LF bytes between them are the whole data.
    """
    size = len(data)
    start = 0
    number = 1
    find = data.find
    while start < size:
        end = find(b"\n", start)
        if end < 0:
            end = size
        part = 0
        while end - start >= BUFFER:
            if start + BUFFER == end == size:
                break
            yield number, part, start, start + BUFFER
            start += BUFFER
            part += 1
        yield number, part, start, end
        start = end + 1
        number += 1


def readable_end(data: bytes, start: int, end: int) -> int:
    """Where auditctl stops to read the piece start..end: at the first NUL byte, or at the end."""
    nul = data.find(b"\0", start, end)
    return end if nul < 0 else nul
