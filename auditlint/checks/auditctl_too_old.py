"""AL144: a word that a newer auditctl takes."""

from __future__ import annotations

from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes, reread
from auditlint.target import AUDITCTL_RELEASES, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    release = subject.target.auditctl
    newer = [other for other in AUDITCTL_RELEASES if version(other) > version(release)]
    for entry in subject.caused("auditctl-too-old"):
        assert entry.problem is not None
        text = line_bytes(entry)
        old = reread(subject, text)
        since = next(other for other in newer if reread(subject, text, other).takes_more_than(old))
        what = f"too new for auditctl {release}, auditctl {since} takes it: {entry.problem.message}"
        yield refusal(subject, entry, what)
