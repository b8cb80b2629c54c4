"""AL220: a field that is undefined when a task is created."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal_of_mistake
from auditlint.analysis.rule_fields import of_objects
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written

_UNDEFINED = frozenset(("arch", "a0", "a1", "a2", "a3", "saddr_fam", "obj_uid", "obj_gid"))
"""Fields of a call or of its files; auditctl itself keeps the others to the exit list."""


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("task"):
        for number, field in enumerate(rule.fields):
            if field.name in _UNDEFINED or of_objects(field):
                text = written(entry, number)
                message = f"the rule never matches: {text} is false when a task is created"
                fix = removal_of_mistake(context, entry)
                yield Hit(at_number(entry, number), message, (), fix)
