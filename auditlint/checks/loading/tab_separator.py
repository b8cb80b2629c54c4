"""AL006: tabs where only a space separates words."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "tab-separator"):
        text = line_bytes(entry)
        tab = entry.line.span[0] + text.index(b"\t")
        fix = rewritten(context, entry, "safe", "Replace tabs with spaces", text.replace(b"\t", b" "))
        at = at_span(entry, (tab, tab + 1))
        yield refusal(context, entry, "the tab becomes part of a word: only spaces separate words", fix, at)
