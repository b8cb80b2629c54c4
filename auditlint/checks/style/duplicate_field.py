"""AL913: the same condition twice in one rule."""

from __future__ import annotations

from auditlint.analysis.rule_fields import without
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written


def check(context: RulesContext) -> Hits:
    for rule, entry in context.rules:
        if len(set(rule.fields)) == len(rule.fields):
            continue
        number = next(number for number, field in enumerate(rule.fields) if field in rule.fields[:number])
        fix = without(context, entry, number, None, f"Remove the second {written(entry, number)}")
        yield Hit(at_number(entry, number), f"{written(entry, number)} is written twice", (), fix)
