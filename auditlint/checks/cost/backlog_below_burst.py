"""AL517: the queue holds less than a short burst of what the rules record."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span
from auditlint.checks.cost.hot_call_logged import check as unfiltered

_RECORDS = 5
"""SYSCALL, CWD, PATH, PROCTITLE, EOE."""
_BURST = 1000
"""Calls of one kind that a shell script or a compiler makes within a fraction of a second."""


def check(context: RulesContext) -> Hits:
    floods = list(unfiltered(context))
    if not floods:
        return
    for option, entry in context.options("-b"):
        limit = next((int(str(each["backlog_limit"])) for each in entry.control if "backlog_limit" in each), 0)
        if 0 < limit < _BURST * _RECORDS:
            yield Hit(
                at_span(entry, option.span),
                f"the rules record frequent calls without a filter, {_RECORDS} records each: a queue of {limit:,} is "
                f"full after {limit // _RECORDS:,} calls, and from then on they wait or are lost",
                tuple(hit.at for hit in floods[:5]),
            )
