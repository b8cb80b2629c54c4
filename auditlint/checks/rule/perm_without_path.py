"""AL237: perm without a path."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number, fields_named, written
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext

_NARROW = frozenset(
    ("path", "dir", "inode", "exe", "filetype", "obj_uid", "obj_gid", "obj_user", "obj_role", "obj_type")
)


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry, number, _ in fields_named(context, "perm"):
        if rule.action != "always" or rule.list != "exit":
            continue
        if _NARROW.isdisjoint(field.name for field in rule.fields):
            message = f"{written(entry, number)} without path or dir takes such accesses to every file"
            yield Hit(at_number(entry, number), message)
