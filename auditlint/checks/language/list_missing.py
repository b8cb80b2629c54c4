"""AL107: a field or system call without a list in front."""

from __future__ import annotations

import re

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix, Hit

_LATER = re.compile(rb" (-[aAdw] *[^ -][^ ]*)(?= |\Z)")
_BARE = re.compile(rb" *(?=(?:always|never),[a-z_]+ |[a-z_]+,(?:always|never) )")


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "list-missing"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    text = line_bytes(entry)
    later = _LATER.search(text)
    if later is not None:
        moved = later[1] + b" " + text[: later.start()].lstrip(b" ") + text[later.end() :]
        return rewritten(context, entry, "safe", "Put the list first", moved)
    if _BARE.match(text):
        return rewritten(context, entry, "unsafe", "Put -a in front", b"-a " + text.lstrip(b" "))
    return None
