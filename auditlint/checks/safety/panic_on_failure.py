"""AL601: -f 2 stops the host when a record is lost."""

from __future__ import annotations

from auditlint.analysis.control_values import setting
from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_span, offset, part

_COMFORTABLE = 8192
"""The queue that hardening guides ask for; a shorter one is named as a further danger."""
_DEFAULT_LIMIT = 64


def check(context: RulesContext) -> Hits:
    failure = setting(context, "-f", "failure")
    if failure is None or failure[2] != 2:
        return
    option, entry, _ = failure
    dangers, related = [], []
    backlog = setting(context, "-b", "backlog_limit")
    if backlog is not None and 0 < backlog[2] < _COMFORTABLE:
        dangers.append(f"the queue holds only {backlog[2]} records")
        related.append(at_span(backlog[1], backlog[0].span, "a short queue"))
    elif backlog is None and "-D" in context.by_option and not context.program.is_directory:
        dangers.append(f"without -b the queue holds {_DEFAULT_LIMIT} records, unless the boot set more")
    rate = setting(context, "-r", "rate_limit")
    if rate is not None and rate[2] > 0:
        dangers.append(f"every second with more than {rate[2]} records loses some")
        related.append(at_span(rate[1], rate[0].span, "a rate limit loses records on purpose"))
    wait = setting(context, "--backlog_wait_time", "backlog_wait_time")
    if wait is not None and wait[2] == 0:
        dangers.append("with a wait time of 0 a full queue loses records immediately")
        related.append(at_span(wait[1], wait[0].span, "nothing waits"))
    message = "; ".join(["the kernel panics as soon as an audit record is lost, because of -f 2", *dangers])
    fix = None
    if option.arg_span is not None:
        start, end = (offset(entry, place) for place in option.arg_span)
        fix = Fix("unsafe", "Write -f 1", (part(entry, start, end, b"1"),))
    yield Hit(at_span(entry, option.span), message, tuple(related), fix)
