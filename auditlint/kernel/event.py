"""One system call as the kernel's filters see it, with three answers: what an event does not say is unknown."""

from __future__ import annotations

from auditlint.core.frozen import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

U32 = 0xFFFFFFFF
UNSET = U32
"""An id that is not set (`auid`, `sessionid`), and the inode number of a failed look-up."""


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is only known to lie in lo..hi (both included, unsigned 32 bit)."""

    lo: int
    hi: int


ANY = Range(0, U32)
"""A number of which nothing is known."""
SOME_PID = Range(2, 1 << 22)
"""Some process id above 1: PID_MAX_LIMIT is 4 Mi on 64-bit kernels (include/linux/threads.h)."""
SOME_SESSION = Range(0, U32 - 1)
"""Some session id that is set."""

Number: TypeAlias = "int | Range"
Tristate: TypeAlias = "bool | None"
"""True, False, or None for "not known"."""

ID_NAMES = ("auid", "uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid")


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a task. Those of an event are those at the END of the call: the filters run there."""

    auid: Number = ANY
    uid: Number = ANY
    euid: Number = ANY
    suid: Number = ANY
    fsuid: Number = ANY
    gid: Number = ANY
    egid: Number = ANY
    sgid: Number = ANY
    fsgid: Number = ANY


@dataclass(frozen=True, slots=True)
class Parent:
    """What the task list saw when the process was made: data of its parent at the fork.

    `pid` is the process id that a `pid` field compares with there, the parent's.
    """

    ids: Ids = field(default_factory=Ids)
    groups: frozenset[int] | None = None
    pid: Number = ANY
    pers: Number = ANY
    session: Number = ANY
    label: str | None = None


@dataclass(frozen=True, slots=True)
class PathObject:
    """One path object of a call (`struct audit_names`), in the kernel's order.

    `mode` None: the look-up failed and the object is a bare name; inode all ones, owner, group and device 0.
    `name` is None for the kernel's `(null)`. `file` is the absolute path of what was reached when `name`
    does not say it. `inode`, `dev`, `rdev` and `fstype` are None when the event does not give them.
    """

    name: str | None
    type: str = "NORMAL"
    file: str | None = None
    mode: int | None = None
    ouid: Number = ANY
    ogid: Number = ANY
    inode: int | None = None
    dev: tuple[int, int] | None = None
    rdev: tuple[int, int] | None = None
    fstype: int | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call returned. `returned` False: it did not return (exit_group), and `exit` and `success` are
    undefined: every condition on them is false. `exit` is unsigned 32 bit."""

    returned: Tristate = None
    exit: Number = ANY
    success: Tristate = None


@dataclass(frozen=True, slots=True)
class Last:
    """What kernels before 5.16 still see of the calls that the task did before (`audit_free_names` and the
    code after it in __audit_syscall_exit, 5.10, leave the address and the return value in the context)."""

    family: Number | None = None
    outcome: Outcome = field(default_factory=lambda: Outcome(False))


@dataclass(frozen=True, slots=True)
class Event:
    """One system call. Every default means "not known", except `flags` and the empty tuples of `args`.

    `arch` is the ABI as AUDIT_ARCH_* number, None when unknown. `args` are a0 to a3, 64 bit; fields compare
    the low 32. `family` None: the call passed no address. `groups`, `objects` None: not known. `exe` "" is
    a kernel thread without program. `records` are the record types that the kernel writes for this call
    when it is selected, None when not known.
    """

    nr: int | None = None
    arch: int | None = None
    args: tuple[Number, Number, Number, Number] = (ANY, ANY, ANY, ANY)
    outcome: Outcome = field(default_factory=Outcome)
    ids: Ids = field(default_factory=Ids)
    groups: frozenset[int] | None = None
    pid: Number = ANY
    ppid: Number = ANY
    pers: Number = ANY
    session: Number = ANY
    exe: str | None = None
    family: Number | None = ANY
    flags: Number = 0
    label: str | None = None
    objects: tuple[PathObject, ...] | None = None
    task: Parent = field(default_factory=Parent)
    last: Last | None = None
    records: tuple[str, ...] | None = None
