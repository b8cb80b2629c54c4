"""AL231: an inode number without its device."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "inode"):
        missing = [name for name in ("devmajor", "devminor") if rule.get(name) is None]
        if field.op == "=" and missing:
            message = f"{written(entry, number)} matches that number on every file system: add {' and '.join(missing)}"
            yield Hit(at_number(entry, number), message)
