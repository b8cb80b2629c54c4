"""AL114: a key that is too long or holds what it may not."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "bad-key"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.kind == "unknown-field":
            what = "the key holds !=, >=, <= or &=, where auditctl splits it"
        yield refusal(context, entry, what)
