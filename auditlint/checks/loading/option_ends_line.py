"""AL021: words behind an option that ends its line."""

from __future__ import annotations

from auditlint.analysis.line_edits import accepted
from auditlint.checks.api import (
    Entry,
    Fix,
    FixLevel,
    Hit,
    Hits,
    RulesContext,
    at_span,
    caused,
    line_bytes,
    offset,
    part,
    refusal,
)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "option-ends-line"):
        last = entry.line.options[-1]
        what = f"the line fails: no words may follow {last.name}"
        yield refusal(context, entry, what, _own_line(context, entry, "safe"))
    for entry in context.entries:
        for warning in entry.line.warnings:
            if warning.kind == "words-ignored":
                message = f"silently ignored: {warning.message}"
                fix = _own_line(context, entry, "unsafe") if entry.line.options else None
                yield Hit(at_span(entry, warning.span), message, (), fix, "warning")


def _own_line(context: RulesContext, entry: Entry, level: FixLevel) -> Fix | None:
    """The words behind the last option on a line of their own."""
    text = line_bytes(entry)
    start = offset(entry, entry.line.options[-1].span[1])
    rest = text[start:].strip(b" ")
    head = text[:start].rstrip(b" ")
    if not rest or not accepted(context, head + b"\n" + rest):
        return None
    blanks = len(text[start:]) - len(text[start:].lstrip(b" "))
    return Fix(level, "Move the rest to a line of its own", (part(entry, start, start + blanks, b"\n"),))
