"""AL516: the rate limit drops records that were formatted already."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span
from auditlint.cost.prices import prices


def check(context: RulesContext) -> Hits:
    for option, entry in context.options("-r"):
        if entry.verdict != "control" or not any(int(str(each.get("rate_limit", 0))) > 0 for each in entry.control):
            continue
        events = prices(context.target).events
        kept, dropped = (
            sum(events[record, state] for record in ("SYSCALL", "PROCTITLE")) for state in ("reader", "limited")
        )
        yield Hit(
            at_span(entry, option.span),
            f"an event over the limit (without paths) still costs {dropped:,.0f} of {kept:,.0f} instructions: the "
            "kernel drops records after it formatted them; only rules that match less help",
        )
