"""AL604: -f 0 keeps quiet about lost records."""

from __future__ import annotations

from auditlint.analysis.control_values import setting
from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_span, offset, part


def check(context: RulesContext) -> Hits:
    found = setting(context, "-f", "failure")
    if found is None or found[2] != 0 or found[0].arg_span is None:
        return
    option, entry, _ = found
    start, end = (offset(entry, place) for place in option.arg_span or option.span)
    fix = Fix("unsafe", "Write -f 1", (part(entry, start, end, b"1"),))
    message = "lost records and audit failures are not reported, not even in the kernel log, because of -f 0"
    yield Hit(at_span(entry, option.span), message, (), fix)
