"""AL123: a field that its list does not take."""

from __future__ import annotations

from auditlint.checks._load import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("field-not-on-list"):
        assert entry.problem is not None
        yield refusal(subject, entry, entry.problem.message)
