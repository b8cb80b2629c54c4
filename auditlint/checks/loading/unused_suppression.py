"""AL091: a suppression that suppresses nothing."""

from __future__ import annotations

from auditlint.checks.api import Edit, Fix, Hit, Hits, Location, SuppressionsContext


def check(context: SuppressionsContext) -> Hits:
    for comment in context.unused:
        source = comment.source
        start, end = source.line_span(source.line_of(comment.span[0]))
        edit = Edit(source, start, min(end + 1, len(source.data)), b"")
        fix = Fix("safe", "Remove the comment", (edit,))
        if comment.needed:
            first, last = (source.data.index(bracket, start, end) for bracket in (b"[", b"]"))
            edit = Edit(source, first + 1, last, ", ".join(comment.needed).encode())
            fix = Fix("safe", f"Remove {', '.join(comment.selectors)}", (edit,))
        where = "in this file" if comment.whole_file else "on the next line"
        yield Hit(
            Location(source, comment.span),
            f"this suppresses no finding {where}: {', '.join(comment.selectors)}",
            (),
            fix,
        )
