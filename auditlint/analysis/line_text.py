"""The text of a line as checks look at it: its words, and what stands behind or before them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.core.source import Source
    from auditlint.load.program import Program

_WORD = re.compile(rb"(?:[^ \\]+|\\.?)+", re.DOTALL)
_PLAIN_WORD = re.compile(rb"[^ ]+")
"""The same where there is no backslash, several times as fast."""
_RULE_OPTIONS = frozenset(("-a", "-A", "-d", "-w", "-W"))


def line_bytes(entry: Entry) -> bytes:
    """The bytes of the line as auditctl gets it, without LF."""
    start, end = entry.line.span
    return entry.line.source.data[start:end]


def words(text: bytes) -> list[tuple[int, int]]:
    """The spans of the words of a line: anything between spaces, escapes kept."""
    return [found.span() for found in (_WORD if b"\\" in text else _PLAIN_WORD).finditer(text)]


def comment_start(text: bytes) -> int | None:
    """Where a comment behind a rule begins: the first word after the first that starts with `#`."""
    for start, _ in words(text)[1:]:
        if text[start : start + 1] == b"#":
            return start
    return None


def continues(text: bytes) -> bool:
    """Does the line end in a backslash of its own, as if it went on in the next one?"""
    stripped = text.rstrip(b" \t\r")
    return stripped.endswith(b"\\") and not stripped.startswith(b"#") and not stripped.endswith(b"\\\\")


def rule_starts(entry: Entry) -> list[int]:
    """Where in the line options stand that begin a rule, offsets into its bytes. The walk may have ended before
    the later ones, so the words are looked at."""
    text = line_bytes(entry)
    found = []
    previous = b""
    for start, end in words(text):
        word = text[start:end]
        if word[:2].decode("latin-1") in _RULE_OPTIONS and previous not in (b"-k", b"-F", b"-S", b"-p", b"-C"):
            found.append(start)
        previous = word
    return found


def takes_argument(option: str) -> bool:
    """Is this an option of auditctl that takes an argument?"""
    from auditlint.auditctl.tables import options
    from auditlint.core.target import DEFAULT_AUDITCTL

    known = options(DEFAULT_AUDITCTL)
    name = option if option.startswith("--") else option[:2]
    return name in known and known[name][0]


def joined_to(entry: Entry) -> Source | None:
    """The file whose first line augenrules glued to this line, because its own file has no final newline."""
    return entry.parts[1].source if len(entry.parts) > 1 else None


def following(program: Program, source: Source) -> Source | None:
    """The next file of a directory that is not empty."""
    seen = False
    for other in program.sources:
        if seen and other.data:
            return other
        seen = seen or other is source
    return None
