"""AL105: a comment behind a rule."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import comment_start, line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "trailing-comment"):
        text = line_bytes(entry)
        cut = comment_start(text)
        assert cut is not None
        above = text[cut:].rstrip(b" \r") + b"\n" + text[:cut].rstrip(b" ")
        fix = rewritten(context, entry, "safe", "Put the comment on a line of its own", above)
        at = at_span(entry, (entry.line.span[0] + cut, entry.line.span[1]))
        yield refusal(context, entry, "a comment needs a line of its own", fix, at)
