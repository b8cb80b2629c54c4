"""AL221: pid on the task list."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number, written
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry in context.on_list("task"):
        for number, field in enumerate(rule.fields):
            if field.name == "pid":
                message = f"{written(entry, number)} compares the id of the parent: a new task has no id of its own yet"
                yield Hit(at_number(entry, number), message)
