"""AL102: an option without its argument."""

from __future__ import annotations

from auditlint.analysis.refusal_causes import took_option
from auditlint.checks.api import Hits, RulesContext, caused, refusal

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


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "missing-argument"):
        assert entry.problem is not None
        taker = took_option(entry)
        name = entry.problem.context if taker is None else taker.name
        what = f"{name} needs {ARGUMENTS.get(name, 'an argument')} after it"
        if taker is not None:
            what += f", but reads {taker.arg} as such"
        yield refusal(context, entry, what)
