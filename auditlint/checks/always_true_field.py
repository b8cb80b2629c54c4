"""AL202: a condition that every event meets."""

from __future__ import annotations

from auditlint.checks._fields import at_number, fields_named, without, written
from auditlint.findings import Hit
from auditlint.language.model import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.language.model import Field
    from auditlint.subjects import RulesSubject

_NUMBERS = ("uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid", "auid", "pid", "ppid", "pers", "sessionid")
_ARGUMENTS = ("a0", "a1", "a2", "a3")
"""Fields that every task or call has with one number; `exit` and `success` may be undefined, objects may be none."""

_KNOWN_EVERYWHERE = frozenset(("uid", "gid", "auid", "pid"))
"""Fields that every list with conditions on tasks knows; on others the rest is false or ends the list."""


def check(subject: RulesSubject) -> Iterator[Hit]:
    for rule, entry, number, field in fields_named(subject, *_NUMBERS, *_ARGUMENTS):
        if not _always(field) or (rule.list != "exit" and field.name not in _KNOWN_EVERYWHERE):
            continue
        text = written(entry, number)
        fix = None
        if rule.list not in ("user", "exclude") or len(rule.fields) > 1:
            fix = without(subject, entry, number, None, f"Remove {text}")
        yield Hit(at_number(entry, number), f"{text} is always true: numbers are compared without sign", (), fix)


def _always(field: Field) -> bool:
    """Whether every unsigned 32-bit number satisfies the condition."""
    if field.op == ">=":
        return field.value == 0
    if field.op == "<=":
        return field.value == UNSET
    return field.op == "&=" and field.value == 0
