"""AL132: path= or exe= with a slash at its end."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_PATH = re.compile(rb"(-F *)path=((?:[^ \\]|\\.)*?)/+(?= |\Z)", re.IGNORECASE)
_EXE = re.compile(rb"(-F *exe!?=(?:[^ \\]|\\.)*?)/+(?= |\Z)", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "path-trailing-slash"):
        text = _EXE.sub(rb"\1", line_bytes(entry))
        changed = _PATH.sub(lambda found: found[1] + b"dir=" + (found[2] or b"/"), text)
        fix = rewritten(context, entry, "unsafe", "Watch the directory", changed)
        yield refusal(context, entry, "the kernel refuses a path= or exe= that ends in a slash", fix)
