"""AL007: quotes are ordinary bytes."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import at_problem, refusal
from auditlint.analysis.pasted_text import unquoted
from auditlint.analysis.refusal_causes import caused
from auditlint.analysis.trial_parse import reread
from auditlint.context.rules import at_span
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "quoted-value"):
        text = line_bytes(entry)
        fix = rewritten(context, entry, "safe", "Remove the quotes", unquoted(text)[0])
        yield refusal(context, entry, "auditctl knows no quotes: they are part of the word", fix, at_problem(entry))
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
            "the quotes become part of the value: auditctl knows none",
            (),
            fix,
            "warning",
        )
