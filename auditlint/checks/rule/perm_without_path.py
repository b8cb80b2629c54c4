"""AL237: perm without a path."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written

_NARROW = frozenset(
    ("path", "dir", "inode", "exe", "filetype", "obj_uid", "obj_gid", "obj_user", "obj_role", "obj_type")
)


def check(context: RulesContext) -> Hits:
    for rule, entry, number, _ in fields_named(context, "perm"):
        if rule.action != "always" or rule.list != "exit":
            continue
        if _NARROW.isdisjoint(field.name for field in rule.fields):
            message = f"{written(entry, number)} without path or dir matches such accesses to every file"
            yield Hit(at_number(entry, number), message)
