"""AL139: -C between two things that cannot be compared."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset, rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix, Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "bad-comparison"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.kind == "compare-incompatible":
            what += "; user ids go with user ids, group ids with group ids"
        elif any(mark in entry.problem.context for mark in "<>&"):
            what = "-C takes the operators = and != only"
        yield refusal(context, entry, what, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    """-F for a comparison with a value."""
    assert entry.problem is not None
    if entry.problem.kind != "compare-value-unknown":
        return None
    text = line_bytes(entry)
    start = offset(entry, entry.line.options[-1].span[0])
    changed = text[:start] + b"-F" + text[start + 2 :]
    return rewritten(context, entry, "unsafe", "Compare with a value by -F", changed)
