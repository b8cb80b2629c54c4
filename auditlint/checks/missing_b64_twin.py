"""AL402: a rule for 32-bit programs without one for 64-bit programs."""

from __future__ import annotations

from auditlint.checks._twins import missing_twins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    return missing_twins(subject, 64)
