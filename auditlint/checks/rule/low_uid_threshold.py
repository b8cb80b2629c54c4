"""AL244: a threshold for people below the first user id of the host."""

from __future__ import annotations

from auditlint.analysis.rule_fields import source_of, with_value
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_NOBODY_MEANT = 100
"""Lower thresholds are about root, not about people."""


def check(context: RulesContext) -> Hits:
    first = context.facts.uid_min
    if first is None:
        return
    for _, entry, number, field in fields_named(context, "auid", "uid", "euid"):
        if field.op not in (">", ">=") or not isinstance(field.value, int):
            continue
        lowest = field.value + (field.op == ">")
        if not _NOBODY_MEANT <= lowest < first or not written(entry, number)[-1:].isdigit():
            continue
        meant = first - (field.op == ">")
        message = f"{written(entry, number)} also matches system accounts: ids of people begin at {first} on this host"
        fix = None
        if source_of(entry, number) is not None:
            fix = with_value(context, entry, number, "unsafe", f"Use {meant}", str(meant))
        yield Hit(at_number(entry, number), message, (), fix)
