"""AL021: words behind an option that ends its line."""

from __future__ import annotations

from auditlint.analysis.line_edits import accepted, offset, part
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span
from auditlint.core.findings import Fix, Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import FixLevel


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "option-ends-line"):
        last = entry.line.options[-1]
        what = f"words behind {last.name} make the line fail"
        yield refusal(context, entry, what, _own_line(context, entry, "safe"))
    for entry in context.entries:
        for warning in entry.line.warnings:
            if warning.kind == "words-ignored":
                message = f"{warning.message}, and nothing says so"
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
    return Fix(level, "Put the rest on a line of its own", (part(entry, start, start + blanks, b"\n"),))
