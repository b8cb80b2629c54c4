"""AL019: -R in a rules file."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "nested-rule-file"):
        yield refusal(context, entry, "a rules file cannot load another one")
