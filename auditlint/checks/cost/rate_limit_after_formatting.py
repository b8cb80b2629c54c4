"""AL516: the rate limit drops records that are already formatted."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span
from auditlint.cost.prices import prices


def check(context: RulesContext) -> Hits:
    for option, entry in context.options("-r"):
        if entry.verdict != "control" or not any(int(str(sent.get("rate_limit", 0))) > 0 for sent in entry.control):
            continue
        events = prices(context.target).events
        kept, dropped = (
            sum(events[record, state] for record in ("SYSCALL", "PROCTITLE")) for state in ("reader", "limited")
        )
        yield Hit(
            at_span(entry, option.span),
            f"a dropped event still costs {100 * dropped / kept:.0f} % of a kept one ({dropped:,.0f} of {kept:,.0f} "
            "instructions, without paths), because records are formatted first; narrow the rules",
        )
