"""AL226: several fstype in one rule are alternatives."""

from __future__ import annotations

from auditlint.analysis.rule_fields import one_rule_each
from auditlint.checks.api import Hit, Hits, RulesContext, Severity, at_number


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("filesystem"):
        numbers = [at for at, field in enumerate(rule.fields) if field.name == "fstype"]
        if len(numbers) < 2 or rule.action != "never":
            continue
        fields = [rule.fields[number] for number in numbers]
        unequal = {field.value for field in fields if field.op == "!="}
        equal = {field.value for field in fields if field.op == "="}
        fix = None
        if len(unequal) > 1 or unequal & equal:
            what = "no file is recorded and no watch matches, because every file system matches one of them"
        elif unequal:
            what = "fstype!= matches all file systems but one"
        else:
            what = "a file system matches if one of them does"
            fix = one_rule_each(context, entry, numbers, None, "Write a rule for each")
        message = f"{what}: several fstype in one rule are alternatives"
        related = tuple(at_number(entry, number, "or this") for number in numbers[1:])
        severity: Severity | None = None if unequal else "advice"
        yield Hit(at_number(entry, numbers[0]), message, related, fix, severity)
