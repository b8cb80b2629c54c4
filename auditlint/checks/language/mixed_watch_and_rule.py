"""AL148: a watch and a rule on one line."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_WATCH_LIST = re.compile(rb"-[aA] *(?:always,exit|exit,always)(?: +|\Z)")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "mixed-watch-and-rule"):
        changed = _WATCH_LIST.sub(b"", line_bytes(entry), count=1).rstrip(b" ")
        fix = rewritten(context, entry, "safe", "Keep only the watch", changed)
        yield refusal(context, entry, "a watch is a rule of its own and accepts no list", fix)
