"""AL005: a byte order mark at the start of a file."""

from __future__ import annotations

from auditlint.analysis.line_edits import part
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span
from auditlint.core.findings import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "byte-order-mark"):
        start = entry.line.span[0]
        fix = Fix("safe", "Remove the byte order mark", (part(entry, 0, 3, b""),))
        at = at_span(entry, (start, start + 3))
        yield refusal(context, entry, "a byte order mark belongs to the first word", fix, at)
