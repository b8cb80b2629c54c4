"""AL219: exe on the task list."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("task"):
        for number, field in enumerate(rule.fields):
            if field.name != "exe":
                continue
            if field.op == "=":
                message = "exe= is never true when a task is created: the rule never matches"
            elif rule.action == "never" and all(other.name == "exe" for other in rule.fields):
                message = (
                    "exe!= is always true when a task is created: no task gets an audit context, nothing is audited"
                )
            else:
                message = "exe!= is always true when a task is created: the rule matches whatever the program is"
            yield Hit(at_number(entry, number), message)
