"""AL610: records that auditing is for are excluded."""

from __future__ import annotations

from auditlint.analysis.broad_conditions import who
from auditlint.analysis.excluded_records import always_true, dropped, droppers, drops_nearly_all, lost
from auditlint.checks.api import Hit, Hits, RulesContext, at_number
from auditlint.kernel.exclude import KNOWN_FIELDS

_SHOWN = 3
_ROUTINE = frozenset(("LOGIN", "AVC", "USER_AVC", "SECCOMP"))
"""Records that jobs of root write all day: dropping those is a choice."""


def check(context: RulesContext) -> Hits:
    for rule, entry, names in droppers(context):
        losses = lost(names, "security")
        if not losses or drops_nearly_all(rule):
            continue
        shown = "; ".join(f"{name} ({loss})" for name, _, loss in losses[:_SHOWN])
        more = f"; and {len(losses) - _SHOWN} more" if len(losses) > _SHOWN else ""
        yield Hit(at_number(entry, 0), f"drops {shown}{more}; no other record shows this")
    for rule, entry in context.on_list("exclude"):
        tests = {field for field in rule.fields if not always_true(field)}
        whose = who(*tests) if len(tests) == 1 and all(field.name in KNOWN_FIELDS for field in tests) else ""
        types = {field for field in tests if field.name == "msgtype"}
        root = tests - types
        if types and len(root) == 1 and (field := next(iter(root))).op == "=" and field.value == 0:
            losses = lost(dropped(rule) - _ROUTINE, "security")
            if field.name in KNOWN_FIELDS and len(losses) == len(dropped(rule)) and who(field):
                shown = "; ".join(f"{name} ({loss})" for name, _, loss in losses[:_SHOWN])
                yield Hit(at_number(entry, 0), f"drops records of {who(field)}: {shown}; no other record shows this")
        if whose:
            yield Hit(at_number(entry, 0), f"{whose} leaves no record of any kind")
