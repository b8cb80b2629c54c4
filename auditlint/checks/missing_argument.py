"""AL102: an option without its argument."""

from __future__ import annotations

from auditlint.checks._load import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject

ARGUMENTS = {
    "-a": "LIST,ACTION",
    "-A": "LIST,ACTION",
    "-d": "LIST,ACTION",
    "-w": "a path",
    "-W": "a path",
    "-F": "FIELD OPERATOR VALUE",
    "-C": "FIELD=FIELD",
    "-S": "a system call",
    "-k": "a key",
    "-p": "letters of rwxa",
}


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("missing-argument"):
        assert entry.problem is not None
        option = entry.problem.subject
        yield refusal(subject, entry, f"{option} needs {ARGUMENTS.get(option, 'an argument')} behind it")
