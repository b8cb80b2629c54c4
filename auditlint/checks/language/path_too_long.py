"""AL147: a path that is too long."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesSubject
    from auditlint.core.findings import Hit


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("path-too-long"):
        assert entry.problem is not None
        yield refusal(subject, entry, entry.problem.message)
