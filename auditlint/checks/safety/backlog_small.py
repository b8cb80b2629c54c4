"""AL602: a queue of records that a short burst fills."""

from __future__ import annotations

from auditlint.analysis.completeness import is_complete
from auditlint.analysis.control_values import setting
from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_span, at_start, offset, part

_SMALL = 1024
"""Some 200 events of five records: what a package manager or a compiler causes in a fraction of a second."""
_WANTED = 8192
_DEFAULT = 64


def check(context: RulesContext) -> Hits:
    found = setting(context, "-b", "backlog_limit")
    if found is None:
        if is_complete(context) and context.loaded and "-b" not in context.by_option:
            message = (
                f"the queue holds only {_DEFAULT} records, unless audit_backlog_limit= sets more; add -b {_WANTED}"
            )
            yield Hit(at_start(context.program.sources[0]), message, (), None, "advice")
        return
    option, entry, limit = found
    if not 0 < limit < _SMALL or option.arg_span is None:
        return
    start, end = (offset(entry, place) for place in option.arg_span)
    fix = Fix("unsafe", f"Write -b {_WANTED}", (part(entry, start, end, str(_WANTED).encode()),))
    message = f"programs wait or records are lost after about {limit // 5} events: the queue holds only {limit} records"
    yield Hit(at_span(entry, option.span), message, (), fix)
