"""AL143: a list, field or operator that the kernel does not know yet."""

from __future__ import annotations

from auditlint.checks._load import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("kernel-too-old"):
        assert entry.problem is not None
        yield refusal(subject, entry, f"{entry.problem.message}; a newer kernel takes this")
