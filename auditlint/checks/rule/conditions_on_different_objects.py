"""AL229: conditions that different files of one event may meet."""

from __future__ import annotations

from auditlint.analysis.rule_fields import of_objects
from auditlint.auditctl.field_table import OBJECT_LABELS
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, listed, written

_OBJECT = ("obj_uid", "obj_gid", "filetype", "devmajor", "devminor", *OBJECT_LABELS)
_HASHED = frozenset(("path", "inode"))


def check(context: RulesContext) -> Hits:
    seen = set()
    for name in (*_OBJECT, "field_compare"):
        for rule, entry in context.with_field(name):
            if id(entry) in seen or rule.list != "exit":
                continue
            numbers = [at for at, field in enumerate(rule.fields) if field.name in _OBJECT or of_objects(field)]
            if len(numbers) < 2 or not _HASHED.isdisjoint(field.name for field in rule.fields if field.op == "="):
                continue
            seen.add(id(entry))
            texts = [written(entry, number) for number in numbers]
            message = f"different files of one event may match {listed(texts)}"
            related = tuple(at_number(entry, number, "and this") for number in numbers[1:])
            yield Hit(at_number(entry, numbers[0]), message, related)
