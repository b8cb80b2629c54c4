"""AL143: a list, field or operator that the kernel does not know yet."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesSubject
    from auditlint.core.findings import Hit


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("kernel-too-old"):
        assert entry.problem is not None
        yield refusal(subject, entry, f"{entry.problem.message}; a newer kernel takes this")
