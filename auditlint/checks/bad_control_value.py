"""AL020: a control option with a value that is refused."""

from __future__ import annotations

from auditlint.checks._load import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("bad-control-value"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.status is not None:
            what += "; auditctl ends at once, even behind -i"
        yield refusal(subject, entry, what)
