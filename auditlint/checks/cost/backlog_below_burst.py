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
        limit = next((int(str(sent["backlog_limit"])) for sent in entry.control if "backlog_limit" in sent), 0)
        if 0 < limit < _BURST * _RECORDS:
            yield Hit(
                at_span(entry, option.span),
                f"a burst of {limit // _RECORDS:,} calls fills this queue of {limit:,} records, then events wait or "
                "are lost: some rules record frequent calls without a filter",
                tuple(hit.at for hit in floods[:5]),
            )
