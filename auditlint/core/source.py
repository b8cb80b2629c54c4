"""Bytes of an input with their positions. Everything below the reports speaks of byte offsets."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Span: TypeAlias = "tuple[int, int]"
"""Half-open byte range (start, end) in a Source."""
IN_KERNEL = "(rules in the kernel)"
"""Name of the source of rules that were loaded before; they are no file of the user, and nothing is said about them."""


class Source:
    """One input: the name as the user gave it and its bytes."""

    __slots__ = ("_starts", "data", "path")

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self._starts: array[int] | None = None

    def __repr__(self) -> str:
        return f"Source({self.path!r}, {len(self.data)} bytes)"

    @property
    def starts(self) -> array[int]:
        """Offset of the first byte of each line; lines end with LF and nothing else."""
        if self._starts is None:
            starts, at = array("I", (0,)), 0  # a tenth of a list: there may be hundreds of sources in one run
            for line in self.data.split(b"\n")[:-1]:
                at += len(line) + 1
                starts.append(at)
            self._starts = starts
        return self._starts

    def line_of(self, offset: int) -> int:
        """1-based number of the line that holds the byte at `offset`."""
        return bisect_right(self.starts, offset)

    def line_span(self, line: int) -> Span:
        """Span of a 1-based line without its LF."""
        start = self.starts[line - 1]
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.data)
        return start, end

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column of a byte offset; columns count characters, an undecodable byte is one."""
        line = self.line_of(offset)
        before = self.data[self.starts[line - 1] : offset]
        return line, len(before.decode("utf-8", "surrogateescape")) + 1

    def text(self, span: Span) -> str:
        """The bytes of a span as text; undecodable bytes become surrogate escapes."""
        return self.data[span[0] : span[1]].decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Location:
    """A place in an input, with a remark for related places."""

    source: Source
    span: Span
    message: str = ""

    @property
    def line(self) -> int:
        """1-based number of the line on which the place begins."""
        return self.source.line_of(self.span[0])
