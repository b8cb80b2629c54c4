"""What people type or paste around a line, and the plain line it stands for: program names, quotes, typographic
characters."""

from __future__ import annotations

import re

PROGRAM = re.compile(rb" *(?:(?:/usr)?(?:/s?bin/)?(?:sudo|auditctl) +)+")
"""Program names in front of a line, as typed in a shell."""
TYPOGRAPHIC = re.compile(rb"\xe2\x80[\x90-\x95\x98-\x9f\xa8\xaf]|\xe2\x88\x92|\xc2[\xa0\xad]|\xe2\x80\x8b")
"""UTF-8 of dashes, curly quotes, non-breaking and invisible blanks that stand in for plain characters."""
CURLY = re.compile(rb"[\"']")
_QUOTED = re.compile(rb"(?<![^ =<>!&])([\"'])(.*?)\1(?= |\Z)|(?<![^ ])([\"'])(\S*?)\3")
_PLAIN = {b"\xc2\xa0": b" ", b"\xe2\x80\xaf": b" ", b"\xc2\xad": b"", b"\xe2\x80\x8b": b"", b"\xe2\x88\x92": b"-"}


def plain(text: bytes) -> bytes:
    """The line with typographic characters replaced by the plain ones they stand for.

    Two dashes that became one long one (`--reset-lost` as an en dash) are not guessed.
    """

    def replace(found: re.Match[bytes]) -> bytes:
        mark = found[0]
        if mark in _PLAIN:
            return _PLAIN[mark]
        if mark[:2] == b"\xe2\x80" and 0x90 <= mark[2] <= 0x95:
            return b"-"
        return b"'" if 0x98 <= mark[2] <= 0x9B else b'"'

    text = TYPOGRAPHIC.sub(replace, text)
    return unquoted(text)[0] if CURLY.search(text) else text


def unquoted(text: bytes) -> tuple[bytes, bool]:
    """The line without quotes around words and values, blanks inside escaped; and whether a path held a blank."""
    blank_in_path = False

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal blank_in_path
        inside: bytes = found[2] if found[2] is not None else found[4]
        value = re.split(rb"[=<>]", inside, maxsplit=1)[-1]
        blank_in_path |= b" " in inside and value.startswith(b"/")
        return re.sub(rb"(?<!\\) ", rb"\\ ", inside)

    return _QUOTED.sub(replace, text), blank_in_path
