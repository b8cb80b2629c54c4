"""AL603: the rules are loaded and auditing is switched off."""

from __future__ import annotations

from auditlint.analysis.control_values import setting
from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_span, offset, part


def check(context: RulesContext) -> Hits:
    found = setting(context, "-e", "enabled")
    if found is None or found[2] != 0 or found[0].arg_span is None:
        return
    always = sum(rule.action == "always" for rule, _ in context.rules)
    if not always:
        return
    option, entry, _ = found
    start, end = (offset(entry, place) for place in option.arg_span or option.span)
    fix = Fix("unsafe", "Write -e 1", (part(entry, start, end, b"1"),))
    subject = "the rule records" if always == 1 else f"the {always} rules record"
    yield Hit(at_span(entry, option.span), f"{subject} nothing: -e 0 turns auditing off", (), fix)
