"""AL102: an option without its argument."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused, took_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit

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


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "missing-argument"):
        assert entry.problem is not None
        taker = took_option(entry)
        name = entry.problem.context if taker is None else taker.name
        what = f"{name} needs {ARGUMENTS.get(name, 'an argument')} behind it"
        if taker is not None:
            what += f" and takes {taker.arg} for it"
        yield refusal(context, entry, what)
