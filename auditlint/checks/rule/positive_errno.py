"""AL204: an error without its minus."""

from __future__ import annotations

import re

from auditlint.analysis.abi_gaps import MOST_ERRNO
from auditlint.analysis.fix_safety import removal
from auditlint.analysis.rule_fields import source_of, with_value
from auditlint.checks.api import Fix, Hit, Hits, Rule, RulesContext, at_number, fields_named, replace

_DENIED = {1: "EPERM", 13: "EACCES"}
"""Numbers that are errors, not results, beside a key that says so."""
_KEY = r"access|denied|fail|eacces|eperm|unauth|forbid"


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "exit"):
        if not isinstance(field.value, int) or not 0 < field.value <= MOST_ERRNO:
            continue
        source = source_of(entry, number)
        if source is None:
            continue
        name = source.text
        if not name[:1].isalpha():
            if field.op != "=" or field.value not in _DENIED or not re.search(_KEY, rule.key or "", re.IGNORECASE):
                continue
            name = _DENIED[field.value]
        fix = with_value(context, entry, number, "unsafe", f"Use -{name}", f"-{name}")
        if fix is None and _is_there(context, rule, number):
            removed = removal(context, entry, f"Remove it: a rule with -{name} exists already")
            fix = removed and Fix("unsafe", removed.title, removed.edits)
        message = f"exit{field.op}{source.text} compares with the result {field.value}; a failed call returns -{name}"
        yield Hit(at_number(entry, number), message, (), fix)


def _is_there(context: RulesContext, rule: Rule, number: int) -> bool:
    """Whether the rule with the minus is loaded, too."""
    fields = list(rule.fields)
    fields[number] = replace(fields[number], value=-int(fields[number].value) & 0xFFFFFFFF)
    return context.has_rule(replace(rule, fields=tuple(fields)))
