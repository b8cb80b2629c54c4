"""AL908: always,exit and exit,always side by side."""

from __future__ import annotations

from auditlint.analysis.same_rule import same_rule
from auditlint.checks.api import Hit, Hits, RulesContext, at_span, line_bytes, offset

_ACTIONS = ("always", "never")


def check(context: RulesContext) -> Hits:
    usual = False
    turned = []
    for option, entry in context.options("-a", "-A"):
        first, comma, second = (option.arg or "").partition(",")
        if entry.verdict == "rule" and comma and option.arg_span is not None:
            usual |= first in _ACTIONS
            if second in _ACTIONS:
                turned.append((option, entry, f"{second},{first}", option.arg_span))
    for option, entry, wanted, span in turned if usual else ():
        text = line_bytes(entry)
        start, end = (offset(entry, place) for place in span)
        fix = same_rule(context, entry, f"Write {wanted}", text[:start] + wanted.encode() + text[end:])
        yield Hit(
            at_span(entry, option.span),
            f"{option.arg} here, but the action comes first in other rules; {wanted} is the same rule",
            (),
            fix,
        )
