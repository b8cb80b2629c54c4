"""AL007: quotes are ordinary bytes."""

from __future__ import annotations

from auditlint.analysis.pasted_text import unquoted
from auditlint.analysis.trial_parse import reread
from auditlint.checks.api import Hit, Hits, RulesContext, at_problem, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "quoted-value"):
        text = line_bytes(entry)
        fix = rewritten(context, entry, "safe", "Remove the quotes", unquoted(text)[0])
        yield refusal(context, entry, "auditctl reads the quotes as part of the word", fix, at_problem(entry))
    for rule, entry in context.rules:
        text = line_bytes(entry)
        if b'"' not in text and b"'" not in text:
            continue
        changed = unquoted(text)[0]
        reading = reread(context, changed)
        if changed == text or reading.kind is not None or reading.line.rule == rule:
            continue
        first = next(at for at in range(len(text)) if text[at] != changed[at])
        start = entry.line.span[0] + first
        word = text[first:].split(b" ")[0]
        fix = rewritten(context, entry, "unsafe", "Remove the quotes", changed)
        yield Hit(
            at_span(entry, (start, start + len(word))),
            "the quotes become part of the value: auditctl has no quoting",
            (),
            fix,
            "warning",
        )
