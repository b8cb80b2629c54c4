"""AL128: no such record type."""

from __future__ import annotations

from auditlint.checks._named import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    from auditlint.language.tables import record_types

    yield from unknown(subject, "unknown-record-type", "unknown record type", record_types(subject.target.auditctl))
