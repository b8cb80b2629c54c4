"""AL136: a rule on a path whose directory does not exist."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "missing-directory"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
