"""AL246: a threshold for people above the first user id of the host."""

from __future__ import annotations

from auditlint.analysis.rule_fields import source_of, with_value
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_USUAL = (500, 1000)
"""First ids of people on the distributions, of today and before; other bounds are chosen for a reason."""


def check(context: RulesContext) -> Hits:
    first = context.facts.uid_min
    if first is None:
        yield from _first_left_out(context)
        return
    for rule, entry, number, field in fields_named(context, "auid", "uid", "euid"):
        if field.op not in (">", ">=") or not isinstance(field.value, int) or rule.action != "always":
            continue
        lowest = field.value + (field.op == ">")
        if lowest in _USUAL and lowest > first:
            meant = first - (field.op == ">")
            message = f"{written(entry, number)} misses people: their ids begin at {first} on this host"
            fix = with_value(context, entry, number, "unsafe", f"Use {meant}", str(meant))
            yield Hit(at_number(entry, number), message, (), fix)


def _first_left_out(context: RulesContext) -> Hits:
    """Without facts: `>` and a usual first id leave out just that user."""
    for rule, entry, number, field in fields_named(context, "auid", "uid", "euid"):
        if field.op != ">" or field.value not in _USUAL or rule.action != "always" or rule.list != "exit":
            continue
        others = [other for other in rule.fields if other.name == field.name and other.op in ("=", "<", "<=")]
        if others:
            continue
        text = written(entry, number)
        message = f"{text} misses user {field.value}, assuming ids of people begin there, as on most hosts"
        fix = None
        if source_of(entry, number) is not None and text.count(">") == 1 and text.endswith(str(field.value)):
            fix = with_value(context, entry, number, "unsafe", f"Use {field.value - 1}", str(field.value - 1))
        yield Hit(at_number(entry, number), message, (), fix, "advice")
