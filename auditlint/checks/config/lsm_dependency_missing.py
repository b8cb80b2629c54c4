"""AL803: a security module is asked for and silently left out."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import LSM, asks_for_more, dropped_hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigContext
    from auditlint.core.findings import Hit


def check(context: ConfigContext) -> Iterator[Hit]:
    for drop in context.dropped("depends"):
        if drop.assignment.symbol in LSM and asks_for_more(drop):
            yield dropped_hit(context, drop)
