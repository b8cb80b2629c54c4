"""AL005: a byte order mark at the start of a file."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hits, RulesContext, at_span, caused, part, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "byte-order-mark"):
        start = entry.line.span[0]
        fix = Fix("safe", "Remove the byte order mark", (part(entry, 0, 3, b""),))
        at = at_span(entry, (start, start + 3))
        yield refusal(context, entry, "the byte order mark becomes part of the first word", fix, at)
