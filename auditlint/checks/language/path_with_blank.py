"""AL146: a blank splits a path."""

from __future__ import annotations

import re

from auditlint.analysis.pasted_text import unquoted
from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_SPLIT = re.compile(rb"((?:-[wW] *|-F *(?:path|dir|exe)!?=)/[^ \"']*)((?: +[^ \-][^ ]*)+)", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "path-with-blank"):
        text = line_bytes(entry)
        plain = unquoted(text)[0]
        if plain == text:
            plain = _SPLIT.sub(lambda found: found[1] + found[2].replace(b" ", b"\\ "), text, count=1)
        fix = rewritten(context, entry, "unsafe", "Write the blank as backslash and space", plain)
        yield refusal(context, entry, "the blank ends the path; write \\ before it", fix)
