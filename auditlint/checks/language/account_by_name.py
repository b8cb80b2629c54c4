"""AL151: a user or group by its name, which not every host has."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_field
from auditlint.core.data import rows

_GROUPS = frozenset(("gid", "egid", "sgid", "fsgid", "obj_gid"))
_USERS = frozenset(("uid", "euid", "suid", "fsuid", "auid", "obj_uid"))


def check(context: RulesContext) -> Hits:
    everywhere = {(row[0], row[1]) for row in rows("base-accounts.tsv")}
    goes_on = False
    for entry in context.entries:
        goes_on = goes_on or any(request.kind in ("ignore", "continue") for request in entry.line.requests)
        rule = entry.rule
        if rule is None or entry.verdict != "rule":
            continue
        for field in rule.fields:
            kind = "group" if field.name in _GROUPS else "user" if field.name in _USERS else ""
            # a name that the facts do not know stays a name in the rule
            if kind and isinstance(field.value, str) and (kind, field.value) not in everywhere:
                stops = "" if goes_on else ", and auditctl stops there"
                message = f"the line fails on a host without the {kind} {field.value}{stops}"
                yield Hit(at_field(entry, field.name), message)
