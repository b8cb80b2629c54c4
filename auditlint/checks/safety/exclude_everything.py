"""AL608: a rule of the exclude list drops (nearly) every record."""

from __future__ import annotations

from auditlint.analysis.excluded_records import droppers, drops_nearly_all
from auditlint.checks.api import Hit, Hits, RulesContext, at_number


def check(context: RulesContext) -> Hits:
    for rule, entry, _ in droppers(context):
        if not drops_nearly_all(rule):
            continue
        unequal = next((number for number, field in enumerate(rule.fields) if field.op == "!="), None)
        if unequal is None:
            message = "drops every record, also logins and denials, whatever the rules record"
        else:
            message = "drops every record except those of that type, whatever the rules record"
        yield Hit(at_number(entry, unequal or 0), message)
