"""AL607: the wait time counts jiffies, not milliseconds."""

from __future__ import annotations

from auditlint.analysis.control_values import setting
from auditlint.checks.api import Hit, Hits, RulesContext, at_span

_RATES = (1000, 250, 100)
"""Values of CONFIG_HZ in use."""


def check(context: RulesContext) -> Hits:
    found = setting(context, "--backlog_wait_time", "backlog_wait_time")
    if found is None:
        return
    option, entry, value = found
    if value == 0:
        message = "records are lost immediately when the queue is full: with a wait time of 0 no program waits"
    else:
        times = ", ".join(f"{value / rate:g} s with HZ={rate}" for rate in _RATES)
        message = f"programs wait {times} when the queue is full: the value {value} counts jiffies"
    yield Hit(at_span(entry, option.span), message)
