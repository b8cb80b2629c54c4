"""AL148: a watch and a rule on one line."""

from __future__ import annotations

import re

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit

_WATCH_LIST = re.compile(rb"-[aA] *(?:always,exit|exit,always)(?: +|\Z)")


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "mixed-watch-and-rule"):
        changed = _WATCH_LIST.sub(b"", line_bytes(entry), count=1).rstrip(b" ")
        fix = rewritten(context, entry, "safe", "Keep the watch alone", changed)
        yield refusal(context, entry, "a watch is a rule of its own and takes no list", fix)
