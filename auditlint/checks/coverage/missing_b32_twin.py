"""AL401: a rule for 64-bit programs without one for 32-bit programs."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import missing_twins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    return missing_twins(context, 32)
