"""AL106: a rule continued with a backslash."""

from __future__ import annotations

from auditlint.analysis.line_edits import accepted
from auditlint.analysis.line_text import continues
from auditlint.checks.api import Edit, Entry, Fix, Hits, RulesContext, at_line, at_span, caused, line_bytes, refusal


def check(context: RulesContext) -> Hits:
    before: Entry | None = None
    for entry in caused(context, "line-continuation"):
        text = line_bytes(entry)
        if before is not None and _follows(before, entry):
            at, what, fix = (
                at_line(entry),
                "auditctl reads this line alone: auditctl has no line continuation: the backslash is a word before it",
                None,
            )
        else:
            at = at_line(entry)
            if continues(text):
                mark = entry.line.span[0] + text.rindex(b"\\")
                at = at_span(entry, (mark, mark + 1))
            what, fix = "auditctl has no line continuation: the backslash is a word", _join(context, entry)
        yield refusal(context, entry, what, fix, at)
        before = entry


def _follows(before: Entry, entry: Entry) -> bool:
    source = entry.at.source
    if before.at.source is not source or not continues(line_bytes(before)):
        return False
    return entry.at.line == before.at.line + 1


def _join(context: RulesContext, entry: Entry) -> Fix | None:
    """This line and those that continue it as one, with single blanks at the joints.

    Unsafe when one of those loads as it stands: it may be a rule of its own.
    """
    source = entry.at.source
    first = last = entry.at.line
    parts = []
    while True:
        text = source.data[slice(*source.line_span(last))]
        parts.append(text.strip(b" \t\r").rstrip(b"\\").rstrip(b" \t"))
        if not continues(text) or last == len(source.starts):
            break
        last += 1
    joined = b" ".join(part for part in parts if part)
    if not accepted(context, joined):
        return None
    edit = Edit(source, source.line_span(first)[0], source.line_span(last)[1], joined)
    alone = any(part and accepted(context, part) for part in parts[1:])
    return Fix("unsafe" if alone else "safe", "Write the rule on one line", (edit,))
