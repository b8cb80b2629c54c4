"""AL908: always,exit and exit,always side by side."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.same_rule import same_rule
from auditlint.context.rules import at_span
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext

_ACTIONS = ("always", "never")


def check(context: RulesContext) -> Iterator[Hit]:
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
            f"{option.arg} here, action first elsewhere: {wanted} is the same rule",
            (),
            fix,
        )
