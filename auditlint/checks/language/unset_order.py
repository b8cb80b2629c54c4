"""AL135: auid compared with unset by order."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_BELOW = re.compile(rb"(-F *(?:auid|loginuid))<(?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "unset-order"):
        fix = rewritten(context, entry, "safe", "Use !=", _BELOW.sub(rb"\1!=", line_bytes(entry)))
        yield refusal(context, entry, "the kernel refuses this: it compares auid with unset only by = and !=", fix)
