"""AL149: a dash, blank or quote from a word processor."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.pasted_text import TYPOGRAPHIC, plain
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "typographic-character"):
        text = line_bytes(entry)
        found = TYPOGRAPHIC.search(text)
        assert found is not None
        mark = found[0].decode()
        base = entry.line.span[0]
        fix = rewritten(context, entry, "safe", "Use the plain characters", plain(text))
        what = f"U+{ord(mark):04X} is no plain character, and auditctl reads bytes"
        yield refusal(context, entry, what, fix, at_span(entry, (base + found.start(), base + found.end())))
