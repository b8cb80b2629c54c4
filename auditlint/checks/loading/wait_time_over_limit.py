"""AL022: a wait time above the limit of the kernel."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span, caused, refusal

SMALLEST_LIMIT = 10 * 60 * 100
"""Ten times 60 seconds on a kernel with HZ=100."""


def check(context: RulesContext) -> Hits:
    refused = {id(entry) for entry in caused(context, "wait-time-over-limit")}
    for option, entry in context.options("--backlog_wait_time"):
        if id(entry) in refused:
            what = "the kernel refuses it: more than 600 seconds (150000 jiffies with HZ=250, 600000 with HZ=1000)"
            yield refusal(context, entry, what, None, at_span(entry, option.span))
            continue
        for request in entry.line.requests:
            value = (request.control or {}).get("backlog_wait_time")
            if isinstance(value, int) and value > SMALLEST_LIMIT and entry.verdict == "control":
                message = f"a kernel with HZ=100 refuses {value} jiffies: more than 600 seconds"
                yield Hit(at_span(entry, option.span), message, (), None, "advice")
