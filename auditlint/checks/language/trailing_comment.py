"""AL105: a comment behind a rule."""

from __future__ import annotations

from auditlint.analysis.line_text import comment_start
from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "trailing-comment"):
        text = line_bytes(entry)
        cut = comment_start(text)
        assert cut is not None
        above = text[cut:].rstrip(b" \r") + b"\n" + text[:cut].rstrip(b" ")
        fix = rewritten(context, entry, "safe", "Move the comment to a line of its own", above)
        at = at_span(entry, (entry.line.span[0] + cut, entry.line.span[1]))
        yield refusal(
            context, entry, "auditctl reads the comment as part of the rule; it needs a line of its own", fix, at
        )
