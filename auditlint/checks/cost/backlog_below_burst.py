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
        limit = next((int(str(setting["backlog_limit"])) for setting in entry.control if "backlog_limit" in setting), 0)
        if 0 < limit < _BURST * _RECORDS:
            yield Hit(
                at_span(entry, option.span),
                f"after {limit // _RECORDS:,} calls programs wait or events are lost: the rules record frequent calls "
                f"without a filter, {_RECORDS} records each, and the queue holds {limit:,}",
                tuple(hit.at for hit in floods[:5]),
            )
