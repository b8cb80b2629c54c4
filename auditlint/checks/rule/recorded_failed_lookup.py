"""AL232: a condition on owner or device that failed look-ups meet."""

from __future__ import annotations

from auditlint.analysis.call_outcome import only_success
from auditlint.analysis.rule_fields import of_objects
from auditlint.auditctl.model import UNSET
from auditlint.auditctl.tables import comparison_pairs
from auditlint.checks.api import Field, Hit, Hits, Rule, RulesContext, at_number, fields_named, written
from auditlint.kernel.sets import Numbers

_BARE_NAME = {"obj_uid": 0, "obj_gid": 0, "devmajor": 0, "devminor": 0, "inode": UNSET}
"""What the kernel knows of a name that it did not find (struct audit_names, measured)."""
_FOUND = frozenset(("path", "dir", "filetype", "obj_user", "obj_role", "obj_type", "obj_lev_low", "obj_lev_high"))
"""Fields that a name which was not found never meets."""
_DEVICE = ("devmajor", "devminor")


def check(context: RulesContext) -> Hits:
    seen = set()
    for rule, entry, number, field in fields_named(context, *_BARE_NAME, "field_compare"):
        if id(entry) in seen or rule.action != "always" or rule.list != "exit" or not _met(rule, field):
            continue
        if any(each.name in _FOUND and each.op != "!=" for each in rule.fields) or only_success(rule):
            continue
        if any(each.name in _BARE_NAME and not _met(rule, each) for each in rule.fields):
            continue
        seen.add(id(entry))
        why = "their owner, group and device are 0, their inode number is the largest"
        if field.name in _DEVICE:
            why = "their device is 0, as for every file that is not a device node"
        message = f"{written(entry, number)} is also true for names that do not exist: {why}"
        yield Hit(at_number(entry, number), message)


def _met(rule: Rule, field: Field) -> bool:
    """Whether a name that was not found meets the condition."""
    if field.name == "field_compare":
        return of_objects(field) and _owner_met(rule, field)
    value = _BARE_NAME[field.name]
    return isinstance(field.value, int) and bool(Numbers(((value, value),)).given(field.op, field.value))


def _owner_met(rule: Rule, field: Field) -> bool:
    """`-C` with the owner 0: whether an id of the task that the rule allows compares as wanted."""
    assert isinstance(field.value, int)
    name = comparison_pairs()[field.value][0]
    room = Numbers()
    for other in rule.fields:
        if other.name == name and isinstance(other.value, int):
            room = room.given(other.op, other.value)
    return bool(room.given(field.op, 0))
