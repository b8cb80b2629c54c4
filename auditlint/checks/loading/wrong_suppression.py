"""AL092: a suppression that cannot be understood."""

from __future__ import annotations

from auditlint.core.findings import Hit
from auditlint.core.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.suppressions import SuppressionsContext


def check(context: SuppressionsContext) -> Iterator[Hit]:
    for comment in context.wrong:
        yield Hit(Location(comment.source, comment.span), f"this suppression {comment.error}, so it suppresses nothing")
