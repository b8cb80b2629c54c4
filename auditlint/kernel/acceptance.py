"""What the kernel refuses on its own when a rule is added or another request is sent, by kernel line.

Source: audit_data_to_entry(), audit_field_valid(), audit_add_rule(), audit_find_rule() in kernel/auditfilter.c,
audit_to_watch() in audit_watch.c, audit_make_tree() and audit_tag_tree() in audit_tree.c, audit_alloc_mark() in
audit_fsnotify.c, audit_receive_msg() in audit.c, read in Linux 6.1.192; refusals measured on 5.10.223, 6.1.192 and
6.12.117. Which field goes with which list and operator stands in `rulesets/acceptance.tsv`.
"""

from __future__ import annotations

from functools import lru_cache

from auditlint.auditctl.field_table import field_facts
from auditlint.auditctl.model import ALL_SYSCALLS, UNSET
from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.core.path_lookup import PATH_MAX, look_up
from auditlint.core.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeAlias

    from auditlint.auditctl.model import Field, Rule
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

    Identity: TypeAlias = tuple[str, str, int, tuple[tuple[str, str, int | str], ...]]
    Errno: TypeAlias = Literal["EEXIST", "EINVAL", "ELOOP", "ENAMETOOLONG", "ENOENT", "ENOTDIR", "EPERM"]
    Fault: TypeAlias = tuple[Errno, str]
    Check: TypeAlias = Callable[[Rule, int, Target, Facts], Fault | None]

FIELDS_MAX = 64
"""AUDIT_MAX_FIELDS, include/uapi/linux/audit.h."""
KEY_MAX = 256
"""AUDIT_MAX_KEY_LEN in bytes."""
COMPARE_MAX = 25
"""AUDIT_MAX_FIELD_COMPARE."""
PERM_BITS = 15
"""x, w, r and a."""
TYPE_BITS = 0o170000
"""S_IFMT."""
WAIT_MAX = 10 * 60 * 250
"""Largest --backlog_wait_time: ten times 60*HZ, with the HZ=250 of the usual distribution kernels."""
STORED_BITS = (1 << 2032) - 1
"""System calls that a mask holds in the kernel; the 16 bits above select classes and are replaced."""

_LIST_SINCE = {"task": "0", "exit": "0", "user": "0", "exclude": "0", "filesystem": "4.16", "io_uring": "5.16"}
_FAMILIES_SINCE = (("5.15", 46), ("0", 45))
"""AF_MAX by kernel line; AF_MCTP came with 5.15."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The kernel's answer: errno name, our words for it, and the number of the guilty field, if it is one.

    `reason` says what is wrong there: `list` (the kernel does not take the field on it), `operator` or `value`.
    """

    errno: Errno
    message: str
    index: int | None = None
    reason: str = "value"


@lru_cache(maxsize=64)
def _limits(kernel: str, list_name: str) -> Mapping[str, tuple[frozenset[str], Check | None]]:
    """The fields that a kernel line takes on a list: their operators, and what looks at the value."""
    line, facts = version(kernel), field_facts()
    found: dict[str, tuple[frozenset[str], Check | None]] = {}
    for field, since, until, lists, operators in rows("acceptance.tsv"):
        if (since == "-" or version(since) <= line) and (until == "-" or line < version(until)):
            names = lists.split(",")
            if list_name in names or ("*" in names and list_name != "filesystem"):
                found[field] = (frozenset(operators.split()), CHECKS[facts[field].test])
    return found


def refusal(rule: Rule, target: Target, facts: Facts) -> Refusal | None:
    """Why the kernel does not take the rule as such: what it finds before it looks for an equal rule.

    The fields are judged in their order; the first fault counts. Deleting a rule meets the same tests.
    """
    if target.kernel == NO_KERNEL:
        return None
    since = _LIST_SINCE.get(rule.list)
    if since is None:
        return Refusal("EINVAL", f"the kernel has no list {rule.list}")
    if not target.kernel_at_least(since):
        return Refusal("EINVAL", f"Linux {target.kernel} has no {rule.list} list, which came with {since}")
    if len(rule.fields) > FIELDS_MAX:
        return Refusal("EINVAL", f"more than {FIELDS_MAX} fields")
    limits = _limits(target.kernel, rule.list)
    for index, field in enumerate(rule.fields):
        limit = limits.get(field.name)
        if limit is None:
            on = f" on the {rule.list} list"
            return Refusal("EINVAL", f"Linux {target.kernel} does not accept the field {field.name}{on}", index, "list")
        if field.op not in limit[0]:
            return Refusal(
                "EINVAL", f"Linux {target.kernel} does not accept {field.name} with {field.op}", index, "operator"
            )
        if limit[1] is not None:
            found = limit[1](rule, index, target, facts)
            if found is not None:
                return Refusal(*found, index)
    return None


def _id(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    field = rule.fields[index]
    if field.value != UNSET:
        return None
    if field.name != "auid":
        return "EINVAL", f"{field.name} cannot be unset ({UNSET}); only auid can"
    if field.op not in ("=", "!="):
        return "EINVAL", f"auid {field.op} unset: the kernel compares unset only with = and !="
    return None


def _bits(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    """perm and filetype: no other bits than those that have a meaning."""
    field = rule.fields[index]
    meaning = PERM_BITS if field.name == "perm" else TYPE_BITS
    return (
        ("EINVAL", f"{field.value} has bits that {field.name} does not define") if _number(field) & ~meaning else None
    )


def _comparison(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    value = _number(rule.fields[index])
    return ("EINVAL", f"unknown comparison {value}; the last is {COMPARE_MAX}") if value > COMPARE_MAX else None


def _family(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    value = _number(rule.fields[index])
    end = next(end for since, end in _FAMILIES_SINCE if target.kernel_at_least(since))
    return ("EINVAL", f"unknown address family {value}; the last is {end - 1}") if value >= end else None


def _number(field: Field) -> int:
    return field.value if isinstance(field.value, int) else 0


def _key(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    if any(field.name == "key" for field in rule.fields[:index]):
        return "EINVAL", "a rule can have only one key field"
    size = _size(rule.fields[index])
    if not size:
        return "EINVAL", "the key is empty"
    return ("EINVAL", f"the key has more than {KEY_MAX} bytes") if size > KEY_MAX else None


def _program(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    """exe: looked up at once."""
    field = rule.fields[index]
    if any(each.name == "exe" for each in rule.fields[:index]):
        return "EINVAL", "a rule can have only one exe field"
    if _size(field) > PATH_MAX:
        return "EINVAL", f"the path has more than {PATH_MAX} bytes"
    return _form(field) or _missing(str(field.value), facts, parent=True)


def _place(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    """path, dir and inode: one of them a rule."""
    field = rule.fields[index]
    if isinstance(field.value, str):
        if _size(field) > PATH_MAX:
            return "ENAMETOOLONG", f"{field.name} has more than {PATH_MAX} bytes"
        wrong = _form(field)
        if wrong is not None:
            return wrong
    for other in rule.fields[:index]:
        if other.name in ("path", "dir", "inode"):
            return "EINVAL", f"a rule can have only one of path, dir and inode; {other.name} comes first"
    return None


def _label(rule: Rule, index: int, target: Target, facts: Facts) -> Fault | None:
    """subj_* and obj_*: AppArmor knows subj_role only, and takes it as one of its labels."""
    field = rule.fields[index]
    size = _size(field)
    if not size:
        return "EINVAL", f"{field.name} is empty"
    if size > PATH_MAX:
        return "ENAMETOOLONG", f"{field.name} has more than {PATH_MAX} bytes"
    if field.name == "subj_role" and facts.lsm == "apparmor" and field.value not in {"unconfined", *facts.labels}:
        return "ENOENT", f"AppArmor, which reads subj_role as a label, has no label {field.value}"
    return None


CHECKS: dict[str, Check | None] = {
    **dict.fromkeys(("id", "group", "owner"), _id),
    **dict.fromkeys(("subject-label", "object-label"), _label),
    **dict.fromkeys(("path", "dir", "inode"), _place),
    **dict.fromkeys(("perm", "file-type"), _bits),
    "pair": _comparison,
    "family": _family,
    "key": _key,
    "program": _program,
    **dict.fromkeys(("process", "parent", "personality", "session", "argument", "exit", "success", "device")),
    **dict.fromkeys(("abi", "record-type", "filesystem", "login-set")),
}
"""What the kernel asks of the value of a field, beyond list and operator, by the column `test` of the field table."""


def _size(field: Field) -> int:
    text = str(field.value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _form(field: Field) -> Fault | None:
    path = str(field.value)
    if not path.startswith("/"):
        return "EINVAL", f"{field.name} must start with a slash"
    if path.endswith("/") and field.name != "dir":
        return "EINVAL", f"{field.name} must not end in a slash"
    return None


def _missing(path: str, facts: Facts, *, parent: bool) -> Fault | None:
    """`parent`: path and exe need the directory that holds them; dir and -q need the directory itself."""
    errno = look_up(path, facts, parent=parent, directory=not parent)
    if errno is None:
        return None
    faults: tuple[Fault, ...] = (
        ("ENOENT", f"the directory of {path} does not exist" if parent else f"{path} does not exist"),
        ("ENOTDIR", f"a part of {path} is not a directory"),
        ("ENAMETOOLONG", "the path is too long, or one of its names has more than 255 bytes"),
        ("ELOOP", f"the symbolic links in {path} do not end"),
        ("EINVAL", f"the last part of {path} is not a name"),
    )
    return next(fault for fault in faults if fault[0] == errno)


def place_refusal(rule: Rule, target: Target, facts: Facts) -> Refusal | None:
    """Why the kernel cannot find what `path` or `dir` names: looked up after an equal rule was looked for."""
    if target.kernel == NO_KERNEL:
        return None
    for index, field in enumerate(rule.fields):
        if (field.name == "path" or field.name == "dir") and isinstance(field.value, str):
            found = _missing(field.value, facts, parent=field.name == "path")
            return Refusal(*found, index) if found is not None else None
    return None


def identity(rule: Rule, target: Target) -> Identity:
    """What two rules must share for the kernel to call them equal (audit_compare_rule()): not the prepend flag."""
    fields = tuple([(field.name, field.op, field.value) for field in rule.fields])
    return rule.list, rule.action, stored_mask(rule.mask, target), fields


def stored_mask(mask: int, target: Target) -> int:
    """The mask as the kernel keeps it: the class bits 2032 to 2047 replaced by the calls of their class."""
    selectors = mask >> 2032
    if not selectors:
        return mask
    if mask == ALL_SYSCALLS:
        return STORED_BITS
    from auditlint.kernel.syscall_classes import selector_members

    stored = mask & STORED_BITS
    for number, members in enumerate(selector_members(target)):
        if selectors >> (15 - number) & 1:
            stored |= members
    return stored


def control_refusal(
    control: Mapping[str, Any], enabled: int, target: Target, facts: Facts, argument: str = ""
) -> Refusal | None:
    """Why the kernel refuses a request other than adding, deleting and listing rules.

    `control` is the record of `parse`, `argument` the text behind `-q`; `enabled` is the state before: 2 is locked.
    A locked kernel still takes features, the reset of counters and messages.
    """
    if target.kernel == NO_KERNEL:
        return None
    kind = control["type"]
    locked = enabled == 2 and (
        kind in ("TRIM", "MAKE_EQUIV") or (kind == "SET" and not {"lost", "backlog_wait_time_actual"} & control.keys())
    )
    wait = control.get("backlog_wait_time")
    if wait is not None and wait > WAIT_MAX:
        return Refusal("EINVAL", f"the kernel takes at most {WAIT_MAX} here (ten times 60*HZ, at HZ=250)")
    if locked:
        return Refusal("EPERM", LOCKED)
    if kind == "MAKE_EQUIV":
        return _equivalent(argument, facts)
    return None


LOCKED = "the audit system is locked (-e 2): nothing can be changed until the next boot"


def _equivalent(argument: str, facts: Facts) -> Refusal | None:
    """MOUNTPOINT,SUBTREE. The second path is looked up first (audit_tag_tree())."""
    mount, _, subtree = argument.partition(",")
    if not mount or not subtree:
        return Refusal("EINVAL", "both paths of -q must be given")
    for path in (subtree, mount):
        found = _missing(path, facts, parent=False)
        if found is not None:
            return Refusal(*found)
    return None
