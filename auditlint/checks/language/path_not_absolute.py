"""AL131: a path that does not begin with a slash."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_USUAL = re.compile(
    rb"(-[wW] *|-F *(?:path|dir|exe)=)(?=(?:bin|boot|dev|etc|home|lib|lib64|opt|root|run|sbin|srv|tmp|usr|var)/)",
    re.IGNORECASE,
)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "path-not-absolute"):
        changed = _USUAL.sub(rb"\1/", line_bytes(entry))
        fix = rewritten(context, entry, "unsafe", "Write a slash before the path", changed)
        yield refusal(context, entry, "a path must begin with a slash", fix)
