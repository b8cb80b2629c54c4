"""The conditions of a rule for one class of system calls, in a form in which equal conditions are equal.

A literal is a tuple that begins with its kind:

    ("number", name, op, value)      an id, process id, argument, personality or session (loginuid_set is auid)
    ("outcome", name, op, value)     exit or success
    ("member", name, value, wanted)  gid= and egid=, which also look at the supplementary groups
    ("pair", left, right, equal)     -C with two ids of the task
    ("family", name, op, value)      saddr_fam; before 5.16 that of an earlier call counts, under another name
    ("program", program, wanted)     exe; `program` is a path or the number of an inode
    ("label", part, value, wanted)   the security label of the task, where the module is known
    ("mode", word, letters, wanted)  perm of an open: `word` is the argument with the flags
    ("tree", path)                   dir
    ("flag", name, wanted)           a condition that is only true or false: what a path object is like, labels and
                                     accounts of which the number is not known, perm of calls newer than the tables

Resolved are arch, perm and everything that the facts decide: such a condition is no literal but True or False.
Source: audit_filter_rules(), kernel/auditsc.c, as auditlint.kernel.fields has it.
"""

from __future__ import annotations

from auditlint.auditctl.field_table import OBJECT_LABELS, SUBJECT_LABELS, UNDEFINED, field_facts, fields_tested_as
from auditlint.auditctl.model import PERM_R, PERM_W, PERM_X
from auditlint.auditctl.tables import comparison_pairs
from auditlint.core.frozen import dataclass
from auditlint.core.path_lookup import resolve
from auditlint.kernel import lsm
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.fields import compare
from auditlint.kernel.syscall_classes import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from auditlint.auditctl.model import Field
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.kernel.storage import Stored
    from auditlint.kernel.syscall_classes import Abi

    Literal: TypeAlias = tuple[Any, ...]
    Conditions: TypeAlias = frozenset[Literal]

_NUMBERS = fields_tested_as("id", "process", "parent", "personality")
_ARGUMENTS = fields_tested_as("argument")
_OF_OBJECTS = fields_tested_as("inode", "owner", "device")
_SYS_BIND = 2
NO_NAME, ONE_NAME, ENTRY, ANY_NAMES, UNLISTED = range(5)
_UNDEFINED_AT_FORK = frozenset([facts.name for facts in field_facts().values() if facts.fork == UNDEFINED])


@dataclass(frozen=True, slots=True)
class CallClass:
    """System calls of one ABI that meet the same rules with the same conditions on both sides.

    `arch` is the AUDIT_ARCH_* number, `number` one of the calls, `mask` all of them (bit n for number n). `names` tells
    which path objects such a call collects: `NO_NAME`, `ONE_NAME`, `ENTRY` (a directory and an entry of it),
    `ANY_NAMES`, or `UNLISTED` (none is known, but it is not proved). `removes`: it may remove a name.
    """

    arch: int
    number: int
    mask: int
    names: int
    removes: bool = False

    @property
    def pathless(self) -> bool:
        """No path object is ever collected."""
        return self.names == NO_NAME


@dataclass(frozen=True, slots=True)
class Side:
    """What decides how a condition is read: the target and the facts of one rule set."""

    target: Target
    facts: Facts

    def abi(self, arch: int) -> Abi:
        """The class tables of an ABI."""
        return tables(self.target).abi(arch)


def conditions(stored: Stored, call: CallClass, side: Side) -> Conditions | None:
    """All conditions of a rule of the exit or io_uring list; None when no event of the class meets them."""
    literals: set[Literal] = set()
    for field in stored.rule.fields:
        literal = _literal(field, stored, call, side)
        if literal is False:
            return None
        if literal is not True:
            literals.add(literal)
    return frozenset(literals)


def task_conditions(stored: Stored, side: Side) -> Conditions | None:
    """Those of a rule of the task list, about the parent at the fork; None when they are never met."""
    literals: set[Literal] = set()
    for field in stored.rule.fields:
        name = field.name
        literal: Literal | bool
        if name == "exe":
            literal = field.op == "!="  # not evaluated there: false, so true with != (measured)
        elif name in ("perm", "filetype"):
            positive = _unless_equal(field.op, side)
            literal = ("flag", ("task", name), True) if positive is None else not positive
        elif name in _UNDEFINED_AT_FORK or (name == "field_compare" and _with_object(field)):
            literal = False
        else:
            literal = _of_task(field, side)
        if literal is False:
            return None
        if literal is not True:
            literals.add(literal)
    return frozenset(literals)


def _literal(field: Field, stored: Stored, call: CallClass, side: Side) -> Literal | bool:
    name, op = field.name, field.op
    value = field.value if isinstance(field.value, int) else 0
    if name in _OF_OBJECTS or name in OBJECT_LABELS or name == "filetype":
        return _of_object(field, stored, call, side)
    if name == "arch":
        return _holds(call.arch, op, value)
    if name in _ARGUMENTS:
        return _number(name, op, value)
    if name in ("exit", "success"):
        return ("outcome", name, op, value)
    if name == "saddr_fam":
        return ("family", "family" if side.target.kernel_at_least("5.16") else "sticky family", op, value)
    if name == "perm":
        return _perm(field, stored, call, side)
    if name == "path":
        return stored.hashed and stored.path is not None
    if name == "dir":
        return ("tree", stored.path) if stored.path is not None and not call.pathless else False
    if name == "exe":
        program = program_of(str(field.value), side.facts)
        return op == "!=" if program is None else ("program", program, op != "!=")
    if name == "field_compare" and _with_object(field):
        return False if call.pathless else ("flag", ("some", name, op, value), True)
    if name == "ppid":
        return _number(name, op, value)
    return _of_task(field, side)


def _of_task(field: Field, side: Side) -> Literal | bool:
    """A condition on the task alone."""
    name, op = field.name, field.op
    value = field.value if isinstance(field.value, int) else 0
    if name == "key":
        return True
    if field.by_name:
        if op in ("=", "!="):
            return ("flag", ("named", name, "=", field.value), op == "=")
        return ("flag", ("named", name, op, field.value), True)
    if name in _NUMBERS:
        return _number(name, op, value)
    if name == "sessionid":
        return _number("session", op, value)
    if name == "loginuid_set":
        wanted = [state for state in (0, 1) if _holds(state, op, value)]
        if len(wanted) != 1:
            return bool(wanted)
        return _number("auid", "!=" if wanted == [1] else "=", UNSET)
    if name in ("gid", "egid"):
        if op not in ("=", "!="):
            return _number(name, op, value)
        if name == "gid" and not side.target.kernel_at_least("4.19"):
            # The search began at fsgid once; from which release on is not known exactly.
            return ("flag", ("member-before-4.19", value), op == "=")
        return ("member", name, value, op == "=")
    if name == "field_compare":
        pair = comparison_pairs().get(value)
        if pair is None or op not in ("=", "!="):
            return False
        left, right = sorted(pair[:2])
        return ("pair", left, right, op == "=")
    if name in SUBJECT_LABELS:
        return _subject(field, side.facts)
    return False


def _holds(left: int, op: str, right: int) -> bool:
    return compare(left, op, right) is True


def _number(name: str, op: str, value: int) -> Literal | bool:
    """A comparison; those that every number or none meets are no conditions."""
    if op == "<=" and value < U32:
        op, value = "<", value + 1
    elif op == ">" and value < U32:
        op, value = ">=", value + 1
    if (op == "<=" or (op == ">=" and value == 0)) or (op == "&=" and value == 0):
        return True
    if op == ">" or (op == "<" and value == 0) or (op == "&" and value == 0):
        return False
    if op not in ("=", "!=", "<", ">=", "&", "&="):
        return False
    if op == ">=" and value == U32:
        op = "="
    elif op == "<" and value == U32:
        op = "!="
    elif (op == ">=" and value == 1) or (op == "<" and value == 1):
        op, value = ("!=" if op == ">=" else "="), 0
    if op == "&=" and value & (value - 1) == 0:
        op = "&"
    return ("number", name, op, value)


def program_of(text: str, facts: Facts) -> int | str | None:
    """The file behind an exe field: its inode number where the facts give it, else its path; None for a symbolic link,
    which is no program."""
    path = resolve(text, facts, follow=False)
    if path in facts.symlinks:
        return None
    return facts.inodes.get(path, path)


def _subject(field: Field, facts: Facts) -> Literal | bool:
    if lsm.has_rule(field, facts.lsm) is False:
        return False
    equal = field.op == "="
    if facts.lsm in ("apparmor", "smack"):
        return ("label", "label", field.value, equal)
    part = field.name.partition("_")[2]
    if facts.lsm == "selinux" and part in ("user", "role", "type") and equal:
        return ("label", part, field.value, True)
    return ("flag", ("label", field.name, field.op, field.value), True)


def _of_object(field: Field, stored: Stored, call: CallClass, side: Side) -> Literal | bool:
    """Conditions on path objects: those of a hashed rule speak of the object at hand, others each of some object; a
    file type always of some object."""
    name, op = field.name, field.op
    if name == "filetype":
        positive = _unless_equal(op, side)
        if call.pathless:
            return positive is False
        if positive is None:
            return ("flag", ("some", name, op, field.value), True)
        return ("flag", ("some", name, "=", field.value), positive)
    if name in OBJECT_LABELS and lsm.has_rule(field, side.facts.lsm) is False:
        return False
    if call.pathless:
        return False
    if name == "inode" and op == "=" and stored.hashed and stored.path is None and field.value == stored.inode:
        return True  # it is the place of the rule
    if field.by_name:
        return ("flag", ("own" if stored.hashed else "some", "named", name, op, field.value), True)
    return ("flag", ("own" if stored.hashed else "some", name, op, field.value), True)


def _unless_equal(op: str, side: Side) -> bool | None:
    """Whether perm and filetype ask for the thing, or with != for its opposite; None between 4.20 and 5.10."""
    if op != "!=" or not side.target.kernel_at_least("4.20"):
        return True
    return False if side.target.kernel_at_least("5.10") else None


def _perm(field: Field, stored: Stored, call: CallClass, side: Side) -> Literal | bool:
    letters = field.value if isinstance(field.value, int) else 0
    positive = _unless_equal(field.op, side)
    if stored.rule.list == "io_uring":
        return ("flag", ("perm of an operation", letters, field.op), True)  # judged by a system call that is not known
    if positive is None:
        return ("flag", ("perm", letters, call.number), True)
    matched = _perm_of(letters, call, side.abi(call.arch))
    if isinstance(matched, bool):
        return matched is positive
    if matched[0] == "number":  # socketcall: argument 1 is SYS_BIND
        return ("number", matched[1], "=" if positive else "!=", matched[3])
    return (*matched[:-1], positive)


def _perm_of(letters: int, call: CallClass, abi: Abi) -> Literal | bool:
    """audit_match_perm(), kernel/auditsc.c, in its order."""
    bit = 1 << call.number
    if bit & (abi.open | abi.openat | abi.openat2):
        word = "a1" if bit & abi.open else "a2" if bit & abi.openat else "flags"
        wanted = letters & (PERM_R | PERM_W)
        if wanted in (0, PERM_R | PERM_W):
            return bool(wanted)
        return ("mode", word, wanted, True)
    if bit & abi.exec:
        return bool(letters & PERM_X)
    if bit & abi.socketcall:
        return ("number", "a0", "=", _SYS_BIND) if letters & PERM_W else False
    if bit & abi.members(letters):
        return True
    return ("flag", ("newer than the tables", letters, call.number), True) if bit & abi.doubtful(letters) else False


def _with_object(field: Field) -> bool:
    pair = comparison_pairs().get(field.value if isinstance(field.value, int) else -1)
    return pair is not None and pair[2]
