"""AL134: unset for another id than auid."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten

_UNSET = re.compile(rb"(-F *)(?:uid|euid|suid|fsuid)(!?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "unset-id"):
        changed = _UNSET.sub(rb"\1auid\2", line_bytes(entry))
        fix = rewritten(context, entry, "unsafe", "Use auid", changed)
        yield refusal(context, entry, "the kernel refuses unset for this id: only auid can be unset", fix)
