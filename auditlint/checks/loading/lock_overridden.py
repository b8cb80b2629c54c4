"""AL014: a later -e line of rules.d replaces -e 2."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, Location, RulesContext

_LOCK = re.compile(r"\s*-e *2\b")


def check(context: RulesContext) -> Hits:
    for old, new in context.program.overridden:
        text, later = old.source.text(old.span), new.source.text(new.span)
        if _LOCK.match(text) and not _LOCK.match(later):
            line = new.line
            place = f"{new.source.path}:{line}"
            message = f"the kernel is not locked: augenrules keeps only the last -e line, {later.strip()} in {place}"
            yield Hit(old, message, (Location(new.source, new.span, "augenrules keeps this one"),))
