"""The test of one condition of a rule: true, false, or not known from the event and the facts.

Source: audit_filter_rules(), audit_field_compare(), audit_comparator() and their kin in kernel/auditsc.c and
kernel/auditfilter.c, Linux 6.1.192; what was measured on 5.10, 6.1 and 6.12 is said where it matters.
"""

from __future__ import annotations

from functools import cache

from auditlint.auditctl.field_table import field_facts
from auditlint.auditctl.tables import comparison_pairs
from auditlint.core.path_lookup import resolve
from auditlint.kernel import lsm as labels
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.eval_context import S_IFMT
from auditlint.kernel.event import U32, UNSET, Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from auditlint.auditctl.model import Field
    from auditlint.kernel.eval_context import EvalContext, ResolvedPath
    from auditlint.kernel.event import Number, Tristate
    from auditlint.kernel.storage import Stored

    Test: TypeAlias = Callable[["Field", "Stored", "EvalContext", "ResolvedPath | None"], Tristate]

_FAILURE_LO = U32 - 4094
"""exit values from here up are the errors -4095..-1."""
_SUCCESS, _FAILED = 1, 2
"""AUDITSC_SUCCESS and AUDITSC_FAILURE, which `success` is compared with."""


def compare(left: Number, op: str, right: int) -> Tristate:
    """`left op right` for unsigned 32-bit numbers (audit_comparator()); unknown operators are false."""
    if isinstance(left, int):
        return _compare(left, op, right)
    lo, hi = left.lo, left.hi
    if lo == hi:
        return _compare(lo, op, right)
    if op in ("=", "!="):
        equal = None if lo <= right <= hi else False
        return equal if op == "=" else None if equal is None else True
    if op in ("<", ">="):
        below = True if hi < right else False if lo >= right else None
        return below if op == "<" else None if below is None else not below
    if op in (">", "<="):
        above = True if lo > right else False if hi <= right else None
        return above if op == ">" else None if above is None else not above
    if op == "&":
        return None if right else False
    return (None if right else True) if op == "&=" else False


def _compare(left: int, op: str, right: int) -> bool:
    if op == "=":
        return left == right
    if op == "!=":
        return left != right
    if op == ">=":
        return left >= right
    if op == "<=":
        return left <= right
    if op == ">":
        return left > right
    if op == "<":
        return left < right
    if op == "&":
        return bool(left & right)
    return op == "&=" and left & right == right


def holds(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """Whether the condition holds. `at` is the path object at hand for hashed rules, else None.

    Raises KeyError for a field that is not in `rulesets/fields.tsv`: what the kernel does with it is not known.
    """
    if field.by_name:
        return None
    return _tests_by_name()[field.name](field, stored, evaluation, at)


def some(answers: Iterable[Tristate]) -> Tristate:
    """True if one is true, None if one might be, else False."""
    unknown = False
    for answer in answers:
        if answer:
            return True
        unknown |= answer is None
    return None if unknown else False


def negate(answer: Tristate) -> Tristate:
    return None if answer is None else not answer


def _number(field: Field) -> int:
    return field.value if isinstance(field.value, int) else 0


def _id(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    left: Number = getattr(evaluation.ids, field.name)
    return compare(left, field.op, _number(field))


def _group(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """gid and egid: `=` also finds, `!=` also misses a supplementary group; the order operators do not.

    Before 4.19 the search began at fsgid (in_group_p(), read in a 4.9-era and in a 4.19 kernel/auditsc.c; of
    the lines between it is not known).
    """
    left: Number = getattr(evaluation.ids, field.name)
    value = _number(field)
    if field.op not in ("=", "!="):
        return compare(left, field.op, value)
    found = [compare(left, "=", value), None if evaluation.groups is None else value in evaluation.groups]
    if field.name == "gid" and not evaluation.target.kernel_at_least("4.19"):
        by_filesystem = compare(evaluation.ids.fsgid, "=", value)
        found.append(None if by_filesystem and evaluation.target.kernel_at_least("4.10") else by_filesystem)
    member = some(found)
    return member if field.op == "=" else negate(member)


def _pid(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return compare(evaluation.pid, field.op, _number(field))


def _ppid(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return False if evaluation.on_task else compare(evaluation.event.ppid, field.op, _number(field))


def _pers(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return compare(evaluation.pers, field.op, _number(field))


def _session(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return compare(evaluation.session, field.op, _number(field))


def _login_set(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """The hidden field that the kernel makes of `auid=unset`."""
    known = compare(evaluation.ids.auid, "!=", UNSET)
    return None if known is None else _compare(int(known), field.op, _number(field))


def _arch(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    if evaluation.on_task:
        return False
    arch = evaluation.event.arch
    return None if arch is None else _compare(arch, field.op, _number(field))


def _exit(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """The return value, unsigned; every condition is false while there is none, also `!=` (measured)."""
    outcome = evaluation.outcome
    if evaluation.on_task or outcome.returned is False:
        return False
    answer = compare(outcome.exit, field.op, _number(field))
    return None if outcome.returned is None and answer is True else answer


def _success(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """Compares 1 (success) or 2 (failure) with 1, or with 2 when the value is 0, by any operator."""
    outcome = evaluation.outcome
    if evaluation.on_task or outcome.returned is False:
        return False
    right = _SUCCESS if _number(field) else _FAILED
    state: Number = Range(_SUCCESS, _FAILED)
    if outcome.success is not None:
        state = _SUCCESS if outcome.success else _FAILED
    answer = compare(state, field.op, right)
    return None if outcome.returned is None and answer is True else answer


def _argument(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """a0 to a3, cut to their low 32 bits."""
    if evaluation.on_task:
        return False
    value = evaluation.event.args[ord(field.name[1]) - ord("0")]
    return compare(value & U32 if isinstance(value, int) else value, field.op, _number(field))


def _saddr(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    if evaluation.on_task or evaluation.family is None:
        return False
    answer = compare(evaluation.family, field.op, _number(field))
    # Of an unknown address it is not known whether there is one at all.
    return None if isinstance(evaluation.family, Range) and answer is True else answer


def _objects(evaluation: EvalContext, at: ResolvedPath | None) -> tuple[ResolvedPath, ...] | None:
    """What set-valued fields look at: the object at hand in the inode hash, else all of the event."""
    if evaluation.on_task:
        return ()
    return (at,) if at is not None else evaluation.objects


def _inode(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    seen = _objects(evaluation, at)
    if seen is None:
        return None
    return some(_inode_of(field, each, evaluation) for each in seen)


def _inode_of(field: Field, seen: ResolvedPath, evaluation: EvalContext) -> Tristate:
    """The inode number alone, low 32 bits; the device is not compared."""
    value = _number(field)
    if seen.inode is not None:
        return _compare(seen.inode & U32, field.op, value)
    # The number is not given. If the facts give it to other files, it is not this one's.
    taken = [path for path, number in evaluation.facts.inodes.items() if number == value]
    if not taken or seen.path is None:
        return None
    return field.op == "!="


def _owner(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    seen = _objects(evaluation, at)
    if seen is None:
        return None
    value = _number(field)
    return some(compare(each.uid if field.name == "obj_uid" else each.gid, field.op, value) for each in seen)


def _device(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """Major or minor of the filesystem OR of the object as device node (0 for all others; measured)."""
    seen = _objects(evaluation, at)
    if seen is None:
        return None
    part = 0 if field.name == "devmajor" else 1
    value = _number(field)
    return some(
        None if device is None else _compare(device[part], field.op, value)
        for each in seen
        for device in (each.dev, each.rdev)
    )


def _filetype(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """`=` some object of ALL has the type, also in the inode hash; `!=` none has it (audit_match_filetype())."""
    found: Tristate
    if evaluation.on_task:
        found = False
    elif evaluation.objects is None:
        found = None
    else:
        value = _number(field)
        found = any(each.mode is not None and each.mode & S_IFMT == value for each in evaluation.objects)
    return _unless_equal(found, field, evaluation)


def _path(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return False if at is None else evaluation.watches(stored, at)


def _dir(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return False if evaluation.on_task else evaluation.in_tree(stored)


def _perm(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    event = evaluation.event
    found: Tristate
    if evaluation.on_task:
        found = False
    elif event.nr is None or evaluation.abi is None:
        found = None
    else:
        found = classes.match_perm(evaluation.abi, event.nr, _number(field), event.args, event.flags)
    return _unless_equal(found, field, evaluation)


def _unless_equal(found: Tristate, field: Field, evaluation: EvalContext) -> Tristate:
    """perm and filetype with `!=`: the opposite, which was measured on 5.10 and later. 4.19 and older take the
    operator and ignore it (read in 4.19); of the lines between it is not known."""
    if field.op != "!=" or not evaluation.target.kernel_at_least("4.20"):
        return found
    return negate(found) if evaluation.target.kernel_at_least("5.10") else None


def _exe(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """The running program's inode against that behind the path; a link as last component is not followed.

    On the task list the program is not looked at: `=` is false and `!=` true (measured).
    """
    found: Tristate
    exe = evaluation.event.exe
    if evaluation.on_task or exe == "":
        found = False
    elif exe is None:
        found = None
    else:
        facts = evaluation.facts
        path = resolve(str(field.value), facts, follow=False)
        ours, theirs = facts.inodes.get(path), facts.inodes.get(exe)
        if path in facts.symlinks:
            found = False
        elif ours is not None and theirs is not None:
            found = ours == theirs
        else:
            found = path == exe
    return negate(found) if field.op == "!=" else found


def _compare_ids(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """`-C`: two ids of the task, or an id of the task with the owner of ANY object (also in the inode hash)."""
    pair = comparison_pairs().get(_number(field))
    if pair is None:
        return False
    left: Number = getattr(evaluation.ids, pair[0])
    if not pair[1].startswith("obj_"):
        return _pair(left, field.op, getattr(evaluation.ids, pair[1]))
    if evaluation.on_task:
        return False
    if evaluation.objects is None:
        return None
    return some(_pair(left, field.op, each.uid if pair[1] == "obj_uid" else each.gid) for each in evaluation.objects)


def _pair(left: Number, op: str, right: Number) -> Tristate:
    if isinstance(right, int):
        return compare(left, op, right)
    if isinstance(left, int):
        return compare(right, op, left)
    if left.hi < right.lo or right.hi < left.lo:
        return op == "!="
    return None


def _subject(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    label = evaluation.event.task.label if evaluation.on_task else evaluation.event.label
    lsm = evaluation.facts.lsm
    return False if labels.has_rule(field, lsm) is False else labels.match(field, label, lsm)


def _object_label(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    lsm = evaluation.facts.lsm
    if evaluation.on_task or labels.has_rule(field, lsm) is False:
        return False
    seen = _objects(evaluation, at)
    if seen is None:
        return None
    return some(labels.match(field, each.object.label if each.exists else None, lsm) for each in seen)


def _true(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    return True


def _not_here(field: Field, stored: Stored, evaluation: EvalContext, at: ResolvedPath | None) -> Tristate:
    """msgtype and fstype: the filters of system calls do not know them; the exclude and filesystem lists do."""
    return False


TESTS: dict[str, Test] = {
    "id": _id,
    "group": _group,
    "argument": _argument,
    "owner": _owner,
    "device": _device,
    "subject-label": _subject,
    "object-label": _object_label,
    "process": _pid,
    "parent": _ppid,
    "personality": _pers,
    "session": _session,
    "login-set": _login_set,
    "abi": _arch,
    "exit": _exit,
    "success": _success,
    "family": _saddr,
    "inode": _inode,
    "file-type": _filetype,
    "path": _path,
    "dir": _dir,
    "perm": _perm,
    "program": _exe,
    "pair": _compare_ids,
    "key": _true,
    "record-type": _not_here,
    "filesystem": _not_here,
}
"""By the column `test` of `rulesets/fields.tsv`."""


@cache
def _tests_by_name() -> dict[str, Test]:
    return {facts.name: TESTS[facts.test] for facts in field_facts().values()}
