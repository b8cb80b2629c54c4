"""AL227: a record type that never reaches the list."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_FROM_PROGRAMS = (range(1005, 1006), range(1100, 1200), range(2100, 3000))
"""The types that the kernel takes from programs and asks the user list about: audit_netlink_ok(), kernel/audit.c."""
_OF_THE_DAEMON = range(1200, 1300)
"""Written by auditd itself; the kernel never sees them."""


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "msgtype"):
        value = field.value
        if field.op != "=" or not isinstance(value, int):
            continue
        if value in _OF_THE_DAEMON:
            what = "auditd writes such records itself and the kernel never sees them"
        elif rule.list == "user" and not any(value in part for part in _FROM_PROGRAMS):
            what = "the user list sees only records that programs send"
            if value >= 1300:
                what += "; use the exclude list"
        else:
            continue
        yield Hit(at_number(entry, number), f"{written(entry, number)} is never true here: {what}")
