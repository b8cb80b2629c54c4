"""AL205: auid>=N takes processes without a login, too."""

from __future__ import annotations

from auditlint.analysis.rule_fields import behind
from auditlint.auditctl.model import UNSET
from auditlint.checks.api import Field, Hit, Hits, Rule, RulesContext, at_number, fields_named, written

_EQUAL_TO_AUID = frozenset((5, 10, 14, 15, 16))
"""Pairs of -C with auid (rulesets/comparisons.tsv): no other id and no owner can be unset."""


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "auid"):
        if field.op not in (">", ">=") or field.value in (0, UNSET) or _unset_excluded(rule):
            continue
        fix = behind(context, entry, number, "unsafe", "Add auid!=unset", "-F auid!=unset")
        message = (
            f"{written(entry, number)} also matches daemons and boot processes: "
            f"their auid is unset, the largest number ({UNSET})"
        )
        yield Hit(at_number(entry, number), message, (), fix)


def _unset_excluded(rule: Rule) -> bool:
    return any(_excludes(field) for field in rule.fields)


def _excludes(field: Field) -> bool:
    """Whether a process without a login cannot meet the condition."""
    if field.name in ("auid", "sessionid"):
        if field.op == "=":
            return True
        return field.op in ("<", "<=") if field.value != UNSET else field.op in ("!=", "<")
    return field.name == "field_compare" and field.op == "=" and field.value in _EQUAL_TO_AUID
