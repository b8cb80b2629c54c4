"""AL003: lines of more than 6143 bytes."""

from __future__ import annotations

from auditlint.checks.api import Edit, Entry, Fix, Hit, Hits, Location, RulesContext, Source, Span, caused, consequence

_WIDTH = 100


def check(context: RulesContext) -> Hits:
    refused = {id(entry) for entry in caused(context, "line-too-long")}
    lines: dict[tuple[int, int], list[Entry]] = {}
    for entry in context.entries:
        if entry.line.part or id(entry) in refused:
            source = entry.at.source
            lines.setdefault((id(source), entry.at.line), []).append(entry)
    for entries in lines.values():
        source = entries[0].at.source
        span = source.line_span(entries[0].at.line)
        wrong = next((entry for entry in entries if id(entry) in refused), None)
        what = "the rest is read as another line" if wrong is None else consequence(context, wrong)
        message = f"auditctl reads at most 6143 of the {span[1] - span[0]} bytes of this line; {what}"
        yield Hit(Location(source, span), message, (), _comment_fix(source, span))


def _comment_fix(source: Source, span: Span) -> Fix | None:
    """A comment is cut at blanks into several; the cuts replace the blanks."""
    data = source.data
    if not data[span[0] : span[1]].lstrip(b" ").startswith(b"#"):
        return None
    edits = []
    start = span[0]
    while span[1] - start > _WIDTH:
        blank = data.rfind(b" ", start + 2, start + _WIDTH)
        blank = data.find(b" ", start + _WIDTH, span[1]) if blank < 0 else blank
        if blank < 0:
            break
        edits.append(Edit(source, blank, blank + 1, b"\n# "))
        start = blank + 1
    return Fix("safe", "Split the comment into several lines", tuple(edits)) if edits else None
