"""AL019: -R in a rules file."""

from __future__ import annotations

from auditlint.checks._load import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("nested-rule-file"):
        yield refusal(subject, entry, "a rules file cannot load another one")
