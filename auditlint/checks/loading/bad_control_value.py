"""AL020: a control option with a value that is refused."""

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
    for entry in caused(context, "bad-control-value"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.status is not None:
            what += "; auditctl ends at once, even behind -i"
        yield refusal(context, entry, what, _without_equals(context, entry))


def _without_equals(context: RulesContext, entry: Entry) -> Fix | None:
    """`-b=8192` as `-b 8192`."""
    assert entry.problem is not None
    text = line_bytes(entry)
    start = offset(entry, entry.problem.span[0])
    if text[start : start + 1] != b"=":
        return None
    return rewritten(context, entry, "safe", "Write the value behind a blank", text[:start] + b" " + text[start + 1 :])
