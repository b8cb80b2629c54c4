"""AL804: a symbol that has to do with audit is asked for and silently left out."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import LSM, asks_for_more, dropped_hit
from auditlint.checks.api import ConfigContext, Hits


def check(context: ConfigContext) -> Hits:
    for drop in context.dropped("depends", "no-prompt"):
        possible = drop.reason == "depends" or drop.blame  # else nothing that could be switched on is missing
        if possible and drop.assignment.symbol not in LSM and asks_for_more(drop):
            yield dropped_hit(context, drop)
