"""AL231: an inode number without its device."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "inode"):
        missing = [name for name in ("devmajor", "devminor") if rule.get(name) is None]
        if field.op == "=" and missing:
            message = (
                f"{written(entry, number)} takes that number on every file system: "
                f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not given"
            )
            yield Hit(at_number(entry, number), message)
