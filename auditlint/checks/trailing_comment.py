"""AL105: a comment behind a rule."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import comment_start, line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("trailing-comment"):
        text = line_bytes(entry)
        cut = comment_start(text)
        assert cut is not None
        above = text[cut:].rstrip(b" \r") + b"\n" + text[:cut].rstrip(b" ")
        fix = rewritten(subject, entry, "safe", "Put the comment on a line of its own", above)
        at = at_span(entry, (entry.line.span[0] + cut, entry.line.span[1]))
        yield refusal(subject, entry, "a comment needs a line of its own", fix, at)
