"""AL211: an argument that is an address."""

from __future__ import annotations

from auditlint.analysis.call_arguments import judged_arguments
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written


def check(context: RulesContext) -> Hits:
    for each in judged_arguments(context):
        calls = each.calls("p")
        field = each.field
        if not calls or (field.value == 0 and field.op in ("=", "!=", ">")):
            continue  # comparing with NULL makes sense
        names = ", ".join(calls)
        message = f"{written(each.entry, each.number)} compares an address: {field.name} of {names} is a pointer"
        instead = each.elsewhere()
        if instead:
            message += f" ({instead})"
        yield Hit(at_number(each.entry, each.number), message)
