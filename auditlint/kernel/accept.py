"""What the kernel refuses on its own when a rule is added or another request is sent, by kernel line.

Source: audit_data_to_entry(), audit_field_valid(), audit_add_rule(), audit_find_rule() in kernel/auditfilter.c,
audit_to_watch() in audit_watch.c, audit_make_tree() and audit_tag_tree() in audit_tree.c, audit_alloc_mark() in
audit_fsnotify.c, audit_receive_msg() in audit.c, read in Linux 6.1.192; refusals measured on 5.10.223, 6.1.192 and
6.12.117. Which field goes with which list and operator stands in `rulesets/acceptance.tsv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from auditlint.data import rows
from auditlint.language.model import ALL_SYSCALLS, UNSET
from auditlint.lookup import PATH_MAX, look_up
from auditlint.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from auditlint.facts import Facts
    from auditlint.language.model import Field, Rule
    from auditlint.target import Target

    Identity: TypeAlias = tuple[str, str, int, tuple[Field, ...]]

FIELDS_MAX = 64
"""AUDIT_MAX_FIELDS, include/uapi/linux/audit.h."""
KEY_MAX = 256
"""AUDIT_MAX_KEY_LEN in bytes."""
COMPARE_MAX = 25
"""AUDIT_MAX_FIELD_COMPARE."""
TYPE_BITS = 0o170000
"""S_IFMT."""
WAIT_MAX = 10 * 60 * 250
"""Largest --backlog_wait_time: ten times 60*HZ, with the HZ=250 of the usual distribution kernels."""
STORED_BITS = (1 << 2032) - 1
"""System calls that a mask holds in the kernel; the 16 bits above select classes and are replaced."""

_LIST_SINCE = {"filesystem": "4.16", "io_uring": "5.16"}
_LISTS = frozenset(("task", "exit", "user", "exclude", "filesystem", "io_uring"))
_PLACES = ("path", "dir", "inode")
_UIDS = frozenset(("uid", "euid", "suid", "fsuid", "auid", "obj_uid"))
_GIDS = frozenset(("gid", "egid", "sgid", "fsgid", "obj_gid"))
_AF_MAX_SINCE = (("5.15", 46), ("3.0", 45))  # AF_MCTP came with 5.15


@dataclass(frozen=True, slots=True)
class Refusal:
    """The kernel's answer: errno name, our words for it, and the number of the guilty field, if it is one."""

    errno: str
    message: str
    index: int | None = None


@lru_cache(maxsize=16)
def _limits(kernel: str) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Lists and operators of every field that the kernel line knows."""
    line = version(kernel)
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for field, since, until, lists, operators in rows("acceptance.tsv"):
        if (since == "-" or version(since) <= line) and (until == "-" or line < version(until)):
            names = set(lists.split(","))
            if "*" in names:
                names |= _LISTS - {"filesystem"}
            found[field] = (frozenset(names), frozenset(operators.split()))
    return found


def refusal(rule: Rule, target: Target, facts: Facts) -> Refusal | None:
    """Why the kernel does not take the rule as such: what it finds before it looks for an equal rule.

    The fields are judged in their order; the first fault counts. Deleting a rule meets the same tests.
    """
    if target.kernel == NO_KERNEL:
        return None
    limits = _limits(target.kernel)
    since = _LIST_SINCE.get(rule.list)
    if rule.list not in _LISTS:
        return Refusal("EINVAL", f"the kernel has no filter list {rule.list}")
    if since is not None and not target.kernel_at_least(since):
        return Refusal("EINVAL", f"the {rule.list} list exists since Linux {since}")
    if len(rule.fields) > FIELDS_MAX:
        return Refusal("EINVAL", f"more than {FIELDS_MAX} fields")
    seen: list[str] = []
    for index, field in enumerate(rule.fields):
        name = field.name
        limit = limits.get(name)
        if limit is None:
            return Refusal("EINVAL", f"Linux {target.kernel} does not know the field {name}", index)
        if rule.list not in limit[0]:
            return Refusal("EINVAL", f"the kernel does not take {name} on the {rule.list} list", index)
        if field.op not in limit[1]:
            return Refusal("EINVAL", f"the kernel does not take {name} with {field.op}", index)
        found = (_number if isinstance(field.value, int) else _text)(field, seen, target, facts)
        if found is not None:
            return Refusal(*found, index)
        seen.append(name)
    return None


def _number(field: Field, seen: list[str], target: Target, facts: Facts) -> tuple[str, str] | None:
    name, value = field.name, field.value
    assert isinstance(value, int)
    if value == UNSET and name in _UIDS | _GIDS:
        if name != "auid":
            return "EINVAL", f"{name} cannot be unset ({UNSET}); only auid can"
        if field.op not in ("=", "!="):
            return "EINVAL", f"auid {field.op} unset: the kernel compares unset with = and != only"
    elif name == "perm" and value > 15:
        return "EINVAL", "perm has other bits than r, w, x and a"
    elif name == "filetype" and value & ~TYPE_BITS:
        return "EINVAL", f"{value} is no file type"
    elif name == "field_compare" and value > COMPARE_MAX:
        return "EINVAL", f"there is no comparison {value}, the last is {COMPARE_MAX}"
    elif name == "saddr_fam":
        most = next(most for since, most in _AF_MAX_SINCE if target.kernel_at_least(since))
        if value >= most:
            return "EINVAL", f"there is no address family {value}, the last is {most - 1}"
    elif name == "inode":
        return _one_place(seen)
    return None


def _text(field: Field, seen: list[str], target: Target, facts: Facts) -> tuple[str, str] | None:
    name, value = field.name, field.value
    assert isinstance(value, str)
    size = len(value) if value.isascii() else len(value.encode("utf-8", "surrogateescape"))
    if not size:
        return "EINVAL", f"{name} is empty"
    if name == "key":
        if "key" in seen:
            return "EINVAL", "a rule has one key field only"
        return ("EINVAL", f"the key has more than {KEY_MAX} bytes") if size > KEY_MAX else None
    if name == "exe":
        if "exe" in seen:
            return "EINVAL", "a rule has one exe field only"
        if size > PATH_MAX:
            return "EINVAL", f"the path has more than {PATH_MAX} bytes"
        return _form(name, value) or _missing(value, facts, parent=True)
    if size > PATH_MAX:
        return "ENAMETOOLONG", f"{name} has more than {PATH_MAX} bytes"
    if name in ("path", "dir"):
        return _form(name, value) or _one_place(seen)
    if name == "subj_role" and facts.lsm == "apparmor" and value != "unconfined" and value not in facts.labels:
        return "ENOENT", f"AppArmor, which takes subj_role as a label, has no label {value}"
    return None


def _form(name: str, path: str) -> tuple[str, str] | None:
    if not path.startswith("/"):
        return "EINVAL", f"{name} must start with a slash"
    if name != "dir" and path.endswith("/"):
        return "EINVAL", f"{name} must not end in a slash"
    return None


def _one_place(seen: list[str]) -> tuple[str, str] | None:
    for other in seen:
        if other in _PLACES:
            return "EINVAL", f"a rule has only one of path, dir and inode; {other} came before"
    return None


def _missing(path: str, facts: Facts, *, parent: bool) -> tuple[str, str] | None:
    errno = look_up(path, facts, parent=parent)
    if errno is None:
        return None
    if errno == "ENOENT":
        return errno, f"the directory of {path} does not exist" if parent else f"{path} does not exist"
    if errno == "ENAMETOOLONG":
        return errno, "the path is too long, or one of its names has more than 255 bytes"
    if errno == "ELOOP":
        return errno, f"the symbolic links in {path} do not end"
    return errno, f"the last part of {path} is not a name"


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
    return rule.list, rule.action, stored_mask(rule.mask, target), rule.fields


def stored_mask(mask: int, target: Target) -> int:
    """The mask as the kernel keeps it: the class bits 2032 to 2047 replaced by the calls of their class."""
    selectors = mask >> 2032
    if not selectors:
        return mask
    if mask == ALL_SYSCALLS:
        return STORED_BITS
    from auditlint.kernel.classes import selector_members

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
