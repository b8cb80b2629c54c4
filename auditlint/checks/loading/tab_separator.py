"""AL006: tabs where only a space separates words."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "tab-separator"):
        text = line_bytes(entry)
        tab = entry.line.span[0] + text.index(b"\t")
        fix = rewritten(context, entry, "safe", "Replace tabs by spaces", text.replace(b"\t", b" "))
        at = at_span(entry, (tab, tab + 1))
        yield refusal(context, entry, "a tab is part of a word; only spaces separate words", fix, at)
