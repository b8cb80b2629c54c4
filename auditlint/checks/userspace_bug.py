"""AL145: a fault of this auditctl spoils the rule."""

from __future__ import annotations

from auditlint.checks._load import refusal
from auditlint.findings import Hit
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    release = subject.target.auditctl
    for entry in subject.caused("userspace-bug"):
        assert entry.problem is not None
        yield refusal(subject, entry, f"{entry.problem.message}: a fault of auditctl {release}")
    if "prepend-deletes" not in subject.reader().switches:
        return
    for option, entry in subject.options("-A"):
        if entry.verdict != "error":
            message = f"a fault of auditctl {release}: -A deletes a rule instead of adding one"
            yield Hit(at_span(entry, option.span), message)
