"""AL008: augenrules joins the last line of a file with the next file."""

from __future__ import annotations

from auditlint.analysis.line_text import following
from auditlint.checks.api import Edit, Entry, Fix, Hit, Hits, Location, RulesContext, Source, caused, consequence


def check(context: RulesContext) -> Hits:
    if not context.program.is_directory:
        return
    refused = {id(entry.at.source): entry for entry in caused(context, "missing-final-newline")}
    for source in context.program.sources:
        if not source.data or source.data.endswith(b"\n"):
            continue
        after = following(context.program, source)
        if after is None and source.path.endswith(".rules"):
            size = len(source.data)
            fix = Fix("safe", "Add the final newline", (Edit(source, size, size, b"\n"),))
            message = "the file has no final newline: augenrules would join this line with the next file that is added"
            span = source.line_span(len(source.starts))
            yield Hit(Location(source, span), message, (), fix, "advice")
            continue
        what = after and _damage(context, source, after, refused.get(id(source)))
        if after is None or what is None:
            continue
        size = len(source.data)
        fix = Fix("safe", "Add the final newline", (Edit(source, size, size, b"\n"),))
        message = f"augenrules joins this line with the first line of {after.path}: the file has no final newline"
        related = (Location(after, after.line_span(1), "joined with this line"),)
        span = source.line_span(len(source.starts))
        yield Hit(Location(source, span), f"{message}; {what}", related, fix)


def _damage(context: RulesContext, source: Source, after: Source, refused: Entry | None) -> str | None:
    """What the joined line does, or None when it is as harmless as the two."""
    if refused is not None:
        return consequence(context, refused)
    last = source.data[source.line_span(len(source.starts))[0] :].lstrip(b" ")
    first = after.data[slice(*after.line_span(1))].lstrip(b" ").rstrip(b"\r")
    if not first or not last.rstrip(b"\r"):
        return None
    if not last.startswith(b"#"):
        return "the two lines become one"
    return None if first.startswith(b"#") else "that line becomes part of a comment and is lost"
