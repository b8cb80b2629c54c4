"""AL005: a byte order mark at the start of a file."""

from __future__ import annotations

from auditlint.checks._edit import part
from auditlint.checks._load import refusal
from auditlint.findings import Fix
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("byte-order-mark"):
        start = entry.line.span[0]
        fix = Fix("safe", "Remove the byte order mark", (part(entry, 0, 3, b""),))
        at = at_span(entry, (start, start + 3))
        yield refusal(subject, entry, "a byte order mark belongs to the first word", fix, at)
