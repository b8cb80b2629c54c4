"""The measured operations as system call events, for an actor and a target; data in `rulesets/cost/`."""

from __future__ import annotations

from functools import cache

from auditlint.auditctl import tables
from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.event import (
    ANY,
    SOME_PID,
    SOME_SESSION,
    U32,
    UNSET,
    Event,
    Ids,
    Outcome,
    Parent,
    PathObject,
    Range,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.core.target import Target
    from auditlint.kernel.event import Number

DEFAULT_ACTOR = "root-unset"
_DESCRIPTOR = Range(3, 9)
_AT_FDCWD = 0xFFFFFF9C
_START = "start"
_PROGRAM = "/bench"
_TMPFS = 0x01021994


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes the calls: every id of a task is the same, but for the login id."""

    name: str
    uid: int
    auid: int
    what: str

    @property
    def ids(self) -> Ids:
        uid = self.uid
        return Ids(self.auid, uid, uid, uid, uid, uid, uid, uid, uid)


@dataclass(frozen=True, slots=True)
class Call:
    """One system call of an operation."""

    name: str
    event: Event


@dataclass(frozen=True, slots=True)
class Operation:
    """A measured operation: its calls in order, and what the task has visited before it."""

    name: str
    calls: tuple[Call, ...]
    visited: tuple[PathObject, ...]


@cache
def actors() -> Mapping[str, Actor]:
    """All actors by name."""
    return {
        name: Actor(name, int(uid), UNSET if auid == "unset" else int(auid), what)
        for name, uid, auid, what in rows("cost/actors.tsv")
    }


def operation_names() -> list[str]:
    """The operations in the order the laboratory performs them."""
    return [name for name in dict.fromkeys(row[0] for row in rows("cost/operations.tsv")) if name != _START]


@cache
def operations(target: Target, actor: Actor) -> tuple[Operation, ...]:
    """All operations in order; calls that the machine has under no name keep their place without a number."""
    numbers = tables.kernel_calls(target.machine) if target.machine in tables.machines() else {}
    found: dict[str, list[Call]] = {}
    for name, syscall, *cells in rows("cost/operations.tsv"):
        found.setdefault(name, []).append(_call(syscall, cells, numbers, target, actor))
    visited = tuple(thing for call in found.pop(_START) for thing in call.event.objects or ())
    result = []
    for name, calls in found.items():
        result.append(Operation(name, tuple(calls), visited))
        visited += tuple(thing for call in calls for thing in call.event.objects or ())
    return tuple(result)


def _call(syscall: str, cells: list[str], numbers: Mapping[str, int], target: Target, actor: Actor) -> Call:
    a0, a1, a2, a3, exit_root, exit_user, exe, things, written = (*cells, *[""] * (9 - len(cells)))
    args = (_argument(a0), _argument(a1), _argument(a2), _argument(a3))
    names = syscall.split("|")
    name = next((word for word in names if word.lstrip("@") in numbers), names[0])
    if name.startswith("@"):
        name, args = name[1:], (_AT_FDCWD, *args[:3])
    exit_text = exit_user if actor.uid and exit_user else exit_root
    arch = classes.tables(target).native.elf
    result, records = outcome(exit_text), tuple(written.split()) or None
    event = task_event(arch, actor, numbers.get(name), args, result, _objects(things), exe or _PROGRAM, records)
    return Call(name, event)


def task_event(
    arch: int,
    actor: Actor,
    number: int | None,
    args: tuple[Number, Number, Number, Number],
    result: Outcome,
    objects: tuple[PathObject, ...],
    exe: str = _PROGRAM,
    records: tuple[str, ...] | None = None,
) -> Event:
    """A system call by a task of the actor."""
    task = _task(actor)
    return Event(
        nr=number,
        arch=arch,
        args=args,
        outcome=result,
        ids=task.ids,
        groups=frozenset(),
        pid=SOME_PID,
        ppid=SOME_PID,
        pers=0,
        session=task.session,
        exe=exe,
        family=None,
        objects=objects,
        task=task,
        records=records,
    )


@cache
def _task(actor: Actor) -> Parent:
    """The task that makes the calls, and forks."""
    return Parent(actor.ids, frozenset(), SOME_PID, 0, UNSET if actor.auid == UNSET else SOME_SESSION)


def _argument(text: str) -> Number:
    if text in ("", "?"):
        return ANY
    if text == "fd":
        return _DESCRIPTOR
    return SOME_PID if text == "pid" else int(text, 16)


def outcome(text: str) -> Outcome:
    """What a cell says of the return value: `-` none, `fd`, `pid` or a number."""
    if text == "-":
        return Outcome(False)
    if text in ("fd", "pid"):
        return Outcome(True, _DESCRIPTOR if text == "fd" else SOME_PID, True)
    return Outcome(True, int(text) & U32, int(text) >= 0)


def _objects(text: str) -> tuple[PathObject, ...]:
    found = []
    for word in text.split():
        kind, name, mode = word.split(":")
        if mode:
            found.append(PathObject(name, kind, None, int(mode, 8), 0, 0, None, (0, 2), (0, 0), _TMPFS))
        else:
            found.append(PathObject(name, kind))
    return tuple(found)
