"""AL149: a dash, blank or quote from a word processor."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._plain import TYPOGRAPHIC, plain
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("typographic-character"):
        text = line_bytes(entry)
        found = TYPOGRAPHIC.search(text)
        assert found is not None
        mark = found[0].decode()
        base = entry.line.span[0]
        fix = rewritten(subject, entry, "safe", "Use the plain characters", plain(text))
        what = f"U+{ord(mark):04X} is no plain character, and auditctl reads bytes"
        yield refusal(subject, entry, what, fix, at_span(entry, (base + found.start(), base + found.end())))
