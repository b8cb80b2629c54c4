"""AL107: a field or system call without a list in front."""

from __future__ import annotations

import re

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, refusal, rewritten

_LATER = re.compile(rb" (-[aAdw] *[^ -][^ ]*)(?= |\Z)")
_BARE = re.compile(rb" *(?=(?:always|never),[a-z_]+ |[a-z_]+,(?:always|never) )")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "list-missing"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    text = line_bytes(entry)
    later = _LATER.search(text)
    if later is not None:
        moved = later[1] + b" " + text[: later.start()].lstrip(b" ") + text[later.end() :]
        return rewritten(context, entry, "safe", "Move -a before the fields", moved)
    if _BARE.match(text):
        return rewritten(context, entry, "unsafe", "Write -a before the list", b"-a " + text.lstrip(b" "))
    return None
