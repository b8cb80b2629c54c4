"""AL402: a rule for 32-bit programs without one for 64-bit programs."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import missing_twins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesSubject
    from auditlint.core.findings import Hit


def check(subject: RulesSubject) -> Iterator[Hit]:
    return missing_twins(subject, 64)
