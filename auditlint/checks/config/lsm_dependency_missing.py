"""AL803: a security module is asked for and silently left out."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import LSM, asks_for_more, dropped_hit
from auditlint.checks.api import ConfigContext, Hits


def check(context: ConfigContext) -> Hits:
    for drop in context.dropped("depends"):
        if drop.assignment.symbol in LSM and asks_for_more(drop):
            yield dropped_hit(context, drop)
