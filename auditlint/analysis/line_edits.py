"""Fixes of one line, tried before they are offered: the new text must be accepted by auditctl and the kernel."""

from __future__ import annotations

from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.trial_parse import reread
from auditlint.core.findings import Edit, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import FixLevel
    from auditlint.core.source import Source


def rewritten(context: RulesContext, entry: Entry, level: FixLevel, title: str, text: bytes) -> Fix | None:
    """The line replaced by `text`, or None when one of the new lines would be refused again. A line that augenrules
    glued together from several files is left alone.

    The edit covers only the bytes that differ, so that fixes of one line disturb each other as little as can be.
    """
    old = line_bytes(entry)
    if text == old or entry.parts or not accepted(context, text):
        return None
    start = 0
    limit = min(len(old), len(text))
    while start < limit and old[start] == text[start]:
        start += 1
    end = 0
    while end < limit - start and old[-1 - end] == text[-1 - end]:
        end += 1
    return Fix(level, title, (part(entry, start, len(old) - end, text[start : len(text) - end]),))


def accepted(context: RulesContext, text: bytes) -> bool:
    """Does auditctl take every line of the text, and would the kernel take its rule into an empty list?"""
    return all(reread(context, line).kind is None for line in text.split(b"\n"))


def part(entry: Entry, start: int, end: int, text: bytes) -> Edit:
    """An edit of the bytes start..end of the line, in the user's own file."""
    base = entry.at.span[0]
    return Edit(entry.at.source, base + start, base + end, text)


def delete_line(entry: Entry) -> Edit:
    """An edit that takes the line out, with its LF."""
    source = entry.at.source
    start, end = source.line_span(entry.at.line)
    return Edit(source, start, min(end + 1, len(source.data)), b"")


def with_comment(entry: Entry) -> tuple[int, int]:
    """The bytes of the line with its LF and with the comment lines directly above it, when they are about it alone."""
    source, line = entry.at.source, entry.at.line
    start, end = source.line_span(line)
    end = min(end + 1, len(source.data))
    if own_comment(entry):
        while line > 1 and _is_comment(source, line - 1):
            line -= 1
        start = source.line_span(line)[0]
    return start, end


def own_comment(entry: Entry) -> bool:
    """Is there a comment directly above the line that is not about the next rule as well?"""
    source, line = entry.at.source, entry.at.line
    if line == 1 or not _is_comment(source, line - 1):
        return False
    start, end = source.line_span(line + 1) if line < len(source.starts) else (0, 0)
    text = source.data[start:end].strip()
    return not text or text.startswith(b"#")


def _is_comment(source: Source, line: int) -> bool:
    start, end = source.line_span(line)
    return source.data[start:end].lstrip(b" ").startswith(b"#")


def offset(entry: Entry, position: int) -> int:
    """A position in the source of `entry.line` as an offset into the line."""
    return position - entry.line.span[0]
