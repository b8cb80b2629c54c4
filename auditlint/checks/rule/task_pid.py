"""AL221: pid on the task list."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("task"):
        for number, field in enumerate(rule.fields):
            if field.name == "pid":
                message = f"{written(entry, number)} compares the pid of the parent: a new task has no pid yet"
                yield Hit(at_number(entry, number), message)
