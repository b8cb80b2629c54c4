"""AL103: a word that belongs to no option."""

from __future__ import annotations

import re

from auditlint.checks._edit import offset, rewritten
from auditlint.checks._load import at_problem, refusal
from auditlint.checks._text import line_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Fix, Hit
    from auditlint.language.model import Option
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject

_BULLET = re.compile(rb" *(?:[-*+](?: +[-*+])*|[0-9]+[.)]) +(?=-)")
_PROSE = re.compile(rb" *[A-Za-z]")


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("stray-word"):
        what, fix = _explain(subject, entry)
        yield refusal(subject, entry, what, fix, at_problem(entry))


def _explain(subject: RulesSubject, entry: Entry) -> tuple[str, Fix | None]:
    assert entry.problem is not None
    text = line_bytes(entry)
    if entry.problem.kind == "no-message" and not entry.line.options:
        if _PROSE.match(text):
            comment = b"# " + text.lstrip(b" ")
            what = "no word of the line is an option, and auditctl fails without any message"
            return what, rewritten(subject, entry, "safe", "Make it a comment", comment)
        return entry.problem.message, None
    start = offset(entry, entry.problem.span[0])
    word = entry.line.source.text(entry.problem.span)
    bullet = _BULLET.match(text)
    if bullet is not None and start < bullet.end():
        return f"{word} belongs to no option", rewritten(
            subject, entry, "unsafe", "Remove what stands in front", text[bullet.end() :]
        )
    before = _before(entry, start, text)
    if before is None or before.arg is None:
        return f"{word} belongs to no option", None
    if before.arg.endswith(","):
        joined = text[:start].rstrip(b" ") + text[start:]
        return f"the blank behind the comma ends the list: {word} belongs to no option", rewritten(
            subject, entry, "unsafe", "Remove the blank", joined
        )
    if before.name == "-k":
        return f"a key has no blanks: {word} belongs to no option", None
    return f"{word} belongs to no option", None


def _before(entry: Entry, start: int, text: bytes) -> Option | None:
    """The option whose argument ends right in front of the word."""
    for option in entry.line.options:
        end = offset(entry, option.span[1])
        if end <= start and not text[end:start].strip(b" "):
            return option
    return None
