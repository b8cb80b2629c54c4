"""AL202: a condition that every event meets."""

from __future__ import annotations

from auditlint.analysis.rule_fields import without
from auditlint.analysis.triggers import NUMBERS, always_true
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_KNOWN_EVERYWHERE = frozenset(("uid", "gid", "auid", "pid"))
"""Fields that every list with conditions on tasks knows; on others the rest is false or ends the list."""


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, *sorted(NUMBERS)):
        if not always_true(field) or (rule.list != "exit" and field.name not in _KNOWN_EVERYWHERE):
            continue
        text = written(entry, number)
        fix = None
        if rule.list not in ("user", "exclude") or len(rule.fields) > 1:
            fix = without(context, entry, number, None, f"Remove {text}")
        yield Hit(at_number(entry, number), f"{text} is always true: the kernel compares without sign", (), fix)
