"""AL230: -C with != and the owner of a file."""

from __future__ import annotations

from auditlint.analysis.rule_fields import of_objects
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written


def check(context: RulesContext) -> Hits:
    for _, entry, number, field in fields_named(context, "field_compare"):
        if field.op == "!=" and of_objects(field):
            text = written(entry, number)
            message = f"{text} is true if any file of the event has another owner, such as its directory"
            yield Hit(at_number(entry, number), message)
