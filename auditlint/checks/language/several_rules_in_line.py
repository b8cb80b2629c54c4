"""AL111: two rules on one line."""

from __future__ import annotations

from auditlint.analysis.line_text import rule_starts
from auditlint.analysis.refusal_causes import glued_start
from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "several-rules-in-line"):
        text = line_bytes(entry)
        hanging = glued_start(entry) if entry.problem is not None else None
        starts = rule_starts(entry) if hanging is None else [0, hanging]
        lines = [text[start:end].strip(b" ") for start, end in zip([0, *starts[1:]], [*starts[1:], None], strict=True)]
        fix = rewritten(context, entry, "safe", "Write one rule a line", b"\n".join(lines))
        second = entry.line.span[0] + (starts[1] if len(starts) > 1 else 0)
        at = at_span(entry, (second, second + 2))
        yield refusal(context, entry, "a second rule begins here; write one rule a line", fix, at)
