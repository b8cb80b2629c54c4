"""AL219: exe on the task list."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("task"):
        for number, field in enumerate(rule.fields):
            if field.name != "exe":
                continue
            if field.op == "=":
                message = "the rule never matches: exe= is never true when a task is created"
            elif rule.action == "never" and all(other.name == "exe" for other in rule.fields):
                message = "no system call of any task is audited: exe!= is always true when a task is created"
            else:
                message = "the rule matches every program: exe!= is always true when a task is created"
            yield Hit(at_number(entry, number), message)
