"""AL014: a later -e line of rules.d replaces -e 2."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, Location, RulesContext

_LOCK = re.compile(r"\s*-e *2\b")


def check(context: RulesContext) -> Hits:
    for old, new in context.program.overridden:
        text, later = old.source.text(old.span), new.source.text(new.span)
        if _LOCK.match(text) and not _LOCK.match(later):
            line = new.source.line_of(new.span[0])
            message = f"-e 2 is dropped: {later.strip()} in {new.source.path}:{line} is the last -e line"
            yield Hit(old, message, (Location(new.source, new.span, "this one counts"),))
