"""AL127: no such error name."""

from __future__ import annotations

from auditlint.checks._named import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    from auditlint.language.tables import error_numbers

    yield from unknown(subject, "unknown-errno", "unknown error", error_numbers(), "-")
