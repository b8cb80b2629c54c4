"""AL014: a later -e line of rules.d replaces -e 2."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, Location, RulesContext

_LOCK = re.compile(r"\s*-e *2\b")


def check(context: RulesContext) -> Hits:
    for old, new in context.program.overridden:
        text, later = old.source.text(old.span), new.source.text(new.span)
        if _LOCK.match(text) and not _LOCK.match(later):
            place = f"{old.source.path}:{old.line}"
            message = f"the kernel is not locked: augenrules keeps only this last -e line and drops -e 2 in {place}"
            yield Hit(new, message, (Location(old.source, old.span, "augenrules drops this one"),))
