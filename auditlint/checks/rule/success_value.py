"""AL209: success with something else than = or != and 0 or 1."""

from __future__ import annotations

from auditlint.analysis.rule_fields import with_field, with_value
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_STATES = {1: "success", 2: "failure"}
"""AUDITSC_SUCCESS and AUDITSC_FAILURE, include/linux/audit.h: what the kernel compares."""


def check(context: RulesContext) -> Hits:
    for _, entry, number, field in fields_named(context, "success"):
        ordered = field.op not in ("=", "!=")
        if not isinstance(field.value, int) or not (ordered or field.value > 1):
            continue
        text = written(entry, number)
        if ordered:
            wanted = 1 if field.value else 2
            met = [state for state in _STATES if _holds(state, field.op, wanted)]
            what = f"true for a {_STATES[met[0]]} only" if len(met) == 1 else "always true" if met else "never true"
            word = f"success={2 - met[0]}" if len(met) == 1 else ""
            fix = with_field(context, entry, number, None, f"Use {word}", word) if word else None
            message = f"{text} is {what}: the kernel compares its own states, not 0 and 1; use = or !="
            yield Hit(at_number(entry, number), message, (), fix, None if met else "error")
        else:
            fix = with_value(context, entry, number, None, "Use 1", "1")
            yield Hit(at_number(entry, number), f"{text} is the same as success{field.op}1", (), fix)


def _holds(state: int, op: str, wanted: int) -> bool:
    return {"<": state < wanted, "<=": state <= wanted, ">": state > wanted, ">=": state >= wanted}.get(op, False)
