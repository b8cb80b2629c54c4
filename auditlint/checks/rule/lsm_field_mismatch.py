"""AL228: a label field that the security module of the host does not know."""

from __future__ import annotations

from auditlint.auditctl.field_table import LABELS
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written
from auditlint.kernel.lsm import has_rule

_MODULES = {"apparmor": "AppArmor", "selinux": "SELinux", "smack": "Smack"}


def check(context: RulesContext) -> Hits:
    lsm = context.facts.lsm
    module = _MODULES.get(lsm or "", "no security module")
    for rule, entry, number, field in fields_named(context, *LABELS):
        if has_rule(field, lsm) is not False:
            continue
        effect = "the condition is false and the rule never matches"
        if rule.list in ("user", "exclude"):
            effect = "the rule never matches" if number == 0 else "the condition is ignored"
        yield Hit(at_number(entry, number), f"{module} does not support {written(entry, number)}: {effect}")
