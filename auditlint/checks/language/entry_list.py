"""AL109: the list entry is gone."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten

_ENTRY = re.compile(rb"(-[aAd] *)(entry(?=,)|(?<=always,)entry|(?<=never,)entry|(?:always|never),entry)", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "entry-list"):
        option = next(option for option in reversed(entry.line.options) if option.name in ("-a", "-A", "-d"))
        changed = _ENTRY.sub(lambda found: found[0].lower().replace(b"entry", b"exit"), line_bytes(entry), count=1)
        fix = rewritten(context, entry, "unsafe", "Write exit instead of entry", changed)
        at = at_span(entry, option.arg_span or option.span)
        yield refusal(context, entry, "auditctl no longer accepts the list entry; use exit", fix, at)
