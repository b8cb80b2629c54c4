"""AL092: a suppression that cannot be understood."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, Location, SuppressionsContext


def check(context: SuppressionsContext) -> Hits:
    for comment in context.wrong:
        yield Hit(Location(comment.source, comment.span), f"suppresses nothing: this suppression {comment.error}")
