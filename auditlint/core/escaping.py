"""Text that is safe where it goes: what stands in a rule file or a file name is hostile input to a terminal or a CI."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


def plain(text: str) -> str:
    """Undecodable bytes as `\\xNN`, so that the result can be written as UTF-8; everything else as it is."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """No control characters (of ASCII or Unicode, line and direction marks too) and no undecodable bytes: all become
    escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return {"\t": "\\t", "\r": "\\r", "\n": "\\n"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def log_line(text: str) -> str:
    """A printable line that no CI takes for a command: GitHub takes `::name::` behind blanks at the start of a line and
    `##[name]` anywhere (ActionCommand.cs, actions/runner), Azure `##vso[name]`, TeamCity `##teamcity[name]`."""
    text = without_commands(printable(text))
    if "::" in text and text.lstrip().startswith("::"):
        text = text.replace("::", "\\x3a:", 1)
    return text


def without_commands(text: str, instead: str = "#\\x23") -> str:
    """The second half of what `log_line` does, for text of several lines."""
    if "##" not in text:
        return text
    import re

    return re.sub(r"##(?=\w*\[)", lambda _: instead, text)


def json_parts(frame: Any, name: str, records: Iterable[Any], depth: int) -> Iterator[str]:
    """The JSON of `frame` in pieces, records put into its first empty list under the key `name` (without a name: its
    first empty list), `depth` levels deep. Each record is a line."""
    mark = f'"{name}": []' if name else "[]"
    head, _, tail = json_text(frame).partition(mark)
    comma, indent = "", "\n" + " " * depth
    yield head + mark[:-1]
    for record in records:
        yield comma + indent + json_text(record, None)[:-1]
        comma = ","
    yield (indent[:-1] if comma else "") + "]" + tail


def json_text(data: Any, indent: int | None = 1) -> str:
    """JSON as UTF-8 text of printable lines: what a terminal or a CI could act on is written as an escape of JSON, so
    the data stay the same. Strings must hold no lone surrogates (see `plain`)."""
    import json

    return json_safe(json.dumps(data, ensure_ascii=False, indent=indent)) + "\n"


def json_safe(text: str) -> str:
    """The second half of what `json_text` does, for text that is JSON already."""
    text = without_commands(text, "#\\u0023")
    if not text.isprintable() and not text.replace("\n", "").isprintable():
        text = "".join(map(_json_escape, text))
    return text


def _json_escape(char: str) -> str:
    if char.isprintable() or char == "\n":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
