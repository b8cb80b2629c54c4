"""AL104: a line that starts with a program name."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._plain import PROGRAM
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("program-name-in-line"):
        text = line_bytes(entry)
        found = PROGRAM.match(text)
        assert found is not None
        name = found[0].strip(b" ").decode()
        start = entry.line.span[0]
        fix = rewritten(subject, entry, "safe", f"Remove {name}", text[found.end() :])
        at = at_span(entry, (start, start + len(found[0].rstrip(b" "))))
        yield refusal(subject, entry, f"a rules file holds options only, without {name} in front", fix, at)
