"""AL120: a field without name, operator or value."""

from __future__ import annotations

import re

from auditlint.checks._edit import offset, rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Fix, Hit
    from auditlint.language.model import Option
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject

_OPTION = re.compile(r"-[A-Za-z]\Z")


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("incomplete-field"):
        assert entry.problem is not None
        option = entry.line.options[-1]
        text = option.arg or ""
        if _OPTION.match(text):
            what = f"{option.name} takes {text} for its field, which has no operator"
            yield refusal(subject, entry, what, _drop(subject, entry, option))
            continue
        yield refusal(subject, entry, entry.problem.message, _join(subject, entry, option))


def _drop(subject: RulesSubject, entry: Entry, option: Option) -> Fix | None:
    """The -F goes; the option behind it stays."""
    text = line_bytes(entry)
    assert option.arg_span is not None
    start, end = offset(entry, option.span[0]), offset(entry, option.arg_span[0])
    return rewritten(subject, entry, "safe", f"Remove {option.name}", text[:start] + text[end:])


def _join(subject: RulesSubject, entry: Entry, option: Option) -> Fix | None:
    """Name, operator and value as one word, when one or two blanks between them are too many."""
    text = line_bytes(entry)
    end = offset(entry, option.span[1])
    for _ in range(2):
        rest = text[end:].lstrip(b" ")
        if not rest or rest.startswith(b"-"):
            return None
        text = text[:end] + rest
        end += len(rest.split(b" ")[0])
        fix = rewritten(subject, entry, "safe", "Write the field as one word", text)
        if fix is not None:
            return fix
    return None
