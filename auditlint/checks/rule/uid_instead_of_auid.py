"""AL206: the current user where the one who logged in is meant."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_PEOPLE = range(100, 60001)
"""Thresholds that are meant to part people from system accounts."""
_KNOWS_LOGIN = frozenset(("auid", "sessionid", "field_compare"))


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "uid", "euid"):
        if field.op not in (">", ">=") or field.value not in _PEOPLE or rule.action != "always" or rule.list != "exit":
            continue
        if not _KNOWS_LOGIN.isdisjoint(other.name for other in rule.fields):
            continue
        who = "the real user" if field.name == "uid" else "the effective user"
        message = f"{written(entry, number)} tests {who}, which is root after su and sudo; auid still names the person"
        yield Hit(at_number(entry, number), message)
