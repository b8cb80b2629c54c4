"""AL149: a dash, blank or quote from a word processor."""

from __future__ import annotations

from auditlint.analysis.pasted_text import TYPOGRAPHIC, plain
from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "typographic-character"):
        text = line_bytes(entry)
        found = TYPOGRAPHIC.search(text)
        assert found is not None
        mark = found[0].decode()
        base = entry.line.span[0]
        fix = rewritten(context, entry, "safe", "Replace typographic characters with plain ones", plain(text))
        what = f"auditctl does not understand the typographic character U+{ord(mark):04X}; use the plain one"
        yield refusal(context, entry, what, fix, at_span(entry, (base + found.start(), base + found.end())))
