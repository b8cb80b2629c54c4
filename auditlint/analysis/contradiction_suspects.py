"""Rules that may contradict themselves: a quick look that passes over nearly all rules, and over none that does."""

from __future__ import annotations

from auditlint.analysis.rule_calls import machines_of
from auditlint.auditctl.model import ALL_SYSCALLS
from auditlint.auditctl.tables import switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Field, Rule
    from auditlint.core.target import Target

_ALONE = frozenset(("path", "dir", "key", "exe"))
"""Fields that stand once and contradict nothing but themselves."""
_NUMBERS = frozenset(
    (
        "auid",
        "uid",
        "euid",
        "suid",
        "fsuid",
        "sgid",
        "fsgid",
        "pers",
        "sessionid",
        "a0",
        "a1",
        "a2",
        "a3",
        "pid",
        "ppid",
    )
)
_OUTCOME = frozenset(("exit", "success"))
_GROUPS = frozenset(("gid", "egid"))
_ARGUMENTS = frozenset(("a0", "a1", "a2"))
"""Arguments that `perm` looks at, too."""
_U32 = (1 << 32) - 1
_ROOM = {
    **dict.fromkeys(("uid", "euid", "suid", "fsuid", "sgid", "fsgid"), (0, _U32 - 1)),
    "pid": (1, 1 << 22),
    "ppid": (0, 1 << 22),
}
"""The numbers that a field can have, where they are not all: only a login id can be unset."""


def suspects(rules: Sequence[tuple[Rule, Entry]], target: Target) -> Iterator[Entry]:
    """The lines whose rules may have a contradiction."""
    archs = frozenset(machine.elf for machine in machines_of(target))
    widened = "perm-adds-calls" in switches(target.auditctl)
    known: dict[tuple[int, ...], tuple[bool, bool]] = {}
    for rule, entry in rules:
        if rule.list != "exit":
            yield entry
            continue
        fields = [field for field in rule.fields if field.name not in _ALONE]
        shape = tuple(map(id, fields))  # equal fields of a reading are one object
        found = known.get(shape)
        if found is None:
            names = [field.name for field in fields]
            found = known[shape] = (_suspect(fields, names, archs), "perm" in names and not widened)
        if found[0] or (found[1] and rule.mask != ALL_SYSCALLS):
            yield entry


def _suspect(fields: list[Field], names: list[str], archs: frozenset[int]) -> bool:
    """Whether these conditions may exclude each other."""
    repeated = len(set(names)) < len(names)
    for field in fields:
        name, op = field.name, field.op
        if name in _NUMBERS:
            continue
        if name == "arch":
            if op != "=" or field.value not in archs:
                return True
        elif name == "perm":
            if not _ARGUMENTS.isdisjoint(names):
                return True
        elif name in _OUTCOME:
            if op not in ("=", "!=") or _OUTCOME.issubset(names):
                return True
        elif name == "field_compare" or op not in ("=", "!=") or (name in _GROUPS and _GROUPS.issubset(names)):
            return True
        if repeated and names.count(name) > 1:
            return True
    if not repeated:
        return any(
            _empty([field])
            for field in fields
            if field.name in _NUMBERS and (field.op not in ("=", "!=") or field.name in ("pid", "ppid"))
        )
    return any(_empty([field for field in fields if field.name == name]) for name in _NUMBERS.intersection(names))


def _empty(conditions: list[Field]) -> bool:
    """Whether no number may meet all conditions on one field; tests of bits are not followed."""
    low, high = _ROOM.get(conditions[0].name, (0, _U32))
    others: set[int] = set()
    for field in conditions:
        value, op = field.value, field.op
        if not isinstance(value, int) or (op in ("&", "&=") and (len(conditions) > 1 or not value)):
            return True
        if op == "=":
            low, high = max(low, value), min(high, value)
        elif op == "!=":
            others.add(value)
        elif op in ("<", "<="):
            high = min(high, value - (op == "<"))
        elif op in (">", ">="):
            low = max(low, value + (op == ">"))
    return high - low < len([value for value in others if low <= value <= high])
