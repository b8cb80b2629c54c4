"""AL150: refused by the kernel for another reason."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "refused-by-kernel"):
        why = entry.problem.message if entry.problem is not None else "the kernel refuses it"
        yield refusal(context, entry, why)
