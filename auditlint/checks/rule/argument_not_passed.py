"""AL245: an argument that the system call does not have."""

from __future__ import annotations

from auditlint.analysis.call_arguments import judged_arguments
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written


def check(context: RulesContext) -> Hits:
    for each in judged_arguments(context):
        calls = each.calls("")
        if calls:
            verb = "has" if len(calls) == 1 else "have"
            message = (
                f"{written(each.entry, each.number)}: {', '.join(calls)} {verb} no {each.field.name}; "
                "the rule compares whatever the register contains"
            )
            yield Hit(at_number(each.entry, each.number), message)
