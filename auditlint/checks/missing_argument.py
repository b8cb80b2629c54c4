"""AL102: an option without its argument."""

from __future__ import annotations

from auditlint.checks._causes import took_option
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
        taker = took_option(entry)
        name = entry.problem.subject if taker is None else taker.name
        what = f"{name} needs {ARGUMENTS.get(name, 'an argument')} behind it"
        if taker is not None:
            what += f" and takes {taker.arg} for it"
        yield refusal(subject, entry, what)
