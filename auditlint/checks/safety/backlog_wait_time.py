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
        message = "a wait time of 0: when the queue is full records are lost at once, and no program waits"
    else:
        each = ", ".join(f"{value / rate:g} s with HZ={rate}" for rate in _RATES)
        message = (
            f"the time is counted in jiffies: {value} is {each}; so long programs stand still when the queue is full"
        )
    yield Hit(at_span(entry, option.span), message)
