"""System calls as far as a comparison tells them apart: classes that meet the same rules, and what a call is like."""

from __future__ import annotations

from functools import lru_cache

from auditlint.auditctl import tables
from auditlint.compare.literals import ANY_NAMES, ENTRY, NO_NAME, ONE_NAME, UNLISTED, CallClass
from auditlint.core.data import rows
from auditlint.core.target import DEFAULT_AUDITCTL
from auditlint.kernel import syscall_classes
from auditlint.kernel.acceptance import STORED_BITS
from auditlint.kernel.constraints import WORKER_ARCH, universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditlint.core.target import Target
    from auditlint.kernel.storage import Storage, Stored

_USUAL = (
    "openat",
    "chmod",
    "unlink",
    "execve",
    "fchmodat",
    "unlinkat",
    "rename",
    "open",
    "chown",
    "mkdir",
    "mount",
    "kill",
    "connect",
    "socket",
    "setuid",
    "setxattr",
    "init_module",
    "finit_module",
    "delete_module",
    "adjtimex",
    "clock_settime",
    "sethostname",
    "ptrace",
    "truncate",
)
"""Calls that everybody knows, the best known first."""


def abis(a: Storage, b: Storage, name: str) -> tuple[int, ...]:
    """The ABIs that an event of the list may have, as AUDIT_ARCH_* numbers: the 64-bit one first."""
    archs = dict.fromkeys((*universe(a).archs, *universe(b).archs))
    if len(archs) > 1 and a.facts.programs_32bit is False and b.facts.programs_32bit is False:
        compat = {abi.elf for each in (a, b) if (abi := syscall_classes.tables(each.target).compat) is not None}
        archs = dict.fromkeys(arch for arch in archs if arch not in compat)
    return (*archs, WORKER_ARCH) if name == "io_uring" else tuple(archs)


def call_classes(a: Storage, b: Storage, name: str) -> list[CallClass]:
    """All system calls (or io_uring operations), by the rules that they meet. Numbers outside 0..2031 meet none."""
    rules = [stored for each in (a, b) for stored in _walked(each, name)]
    classes = [
        CallClass(
            arch,
            _best(arch, part),
            part,
            _names(arch, part) if name == "exit" else ANY_NAMES,
            name == "exit" and bool(part & removing(arch)),
        )
        for arch in abis(a, b, name)
        for part in _parts(arch, rules, (a.target, b.target), name)
    ]
    # The first class that shows a difference gives its example: well-known calls first.
    return sorted(classes, key=lambda call: renown(names(call.arch).get(call.number)) + 1000 * (call.arch >> 31 == 0))


def _names(arch: int, part: int) -> int:
    if part & pathless(arch):
        return NO_NAME
    if part & one_name(arch):
        return ONE_NAME
    return ENTRY if part & one_entry(arch) else ANY_NAMES if part & listed(arch) else UNLISTED


_SHAPES: dict[str, tuple[tuple[str, ...], ...]] = {
    "bind": (("parent", "create"), ()),
    "connect": (("file",), ()),
    "sendto": (("file",), ()),
    "sendmsg": (("file",), ()),
    "sendmmsg": (("file",), ("file", "file"), ()),
    "socketcall": (("parent", "create"), ("file",), ("file", "file"), ()),
    "execve": (("program", "file"), ("program", "program", "file")),
    "execveat": (("program", "file"), ("program", "program", "file")),
}
"""Path objects that the workloads of `cost` leave out. The name of a UNIX socket is looked up (unix_find_bsd(),
unix_bind_bsd(), net/unix/af_unix.c, 6.1); a script has its interpreter as second object (fs/binfmt_script.c)."""


def _walked(storage: Storage, name: str) -> tuple[Stored, ...]:
    return (*(storage.exit if name == "exit" else storage.uring), *storage.hashed)


def _parts(arch: int, rules: Iterable[Stored], targets: Iterable[Target], name: str) -> list[int]:
    """The numbers of an ABI cut by the masks of its rules and by all that perm asks."""
    cuts: dict[int, None] = {}
    if name == "exit":
        cuts[pathless(arch)] = None
        cuts[one_name(arch)] = None
        for mask in (one_entry(arch), listed(arch), removing(arch)):
            cuts[mask] = None
        for target in targets:
            abi = syscall_classes.tables(target).abi(arch)
            for mask in (abi.open, abi.openat, abi.openat2, abi.socketcall, abi.exec, abi.write, abi.read, abi.attr):
                cuts[mask] = None
            for mask in (abi.dir_write, abi.maybe_write, abi.maybe_read, abi.maybe_attr):
                cuts[mask] = None
    for stored in rules:
        cuts[stored.mask & STORED_BITS] = None
    parts = [STORED_BITS]
    for mask in cuts:
        if mask and mask != STORED_BITS:
            parts = [piece for part in parts for piece in (part & mask, part & ~mask) if piece]
    return parts


@lru_cache(maxsize=64)
def names(arch: int) -> Mapping[int, str]:
    """The names of the system calls of an ABI; io_uring operations for `WORKER_ARCH`."""
    if arch == WORKER_ARCH:
        return {number: name for name, number in tables.io_uring_operations(DEFAULT_AUDITCTL).items()}
    machine = tables.machine_of_elf(arch, DEFAULT_AUDITCTL)
    if machine is None:
        return {}
    return {**tables.call_names(machine.name, DEFAULT_AUDITCTL), **tables.kernel_call_names(machine.name)}


@lru_cache(maxsize=64)
def pathless(arch: int) -> int:
    """The calls of an ABI that collect no path object, as a mask."""
    numbers = {name: number for number, name in names(arch).items()} if arch != WORKER_ARCH else {}
    mask = 0
    for row in rows("syscalls/pathless.tsv"):
        if row[0] in numbers and numbers[row[0]] < 2048:
            mask |= 1 << numbers[row[0]]
    return mask


@lru_cache(maxsize=8)
def shapes() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """The path objects of a call that succeeds, by name: each possible list of `file`, `program`, `missing`, `parent`,
    `create`, `delete`. Without the calls of which nothing is known."""
    known: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name, objects, _failed, _exit, _marks, *others in rows("cost/syscalls.tsv"):
        lists = [objects, *(others[0].split("|") if others else ())]
        known[name] = tuple(dict.fromkeys(() if text == "-" else tuple(text.split(",")) for text in lists))
    return {**known, **_SHAPES}


@lru_cache(maxsize=64)
def one_name(arch: int) -> int:
    """The calls of an ABI that look up one name and collect one path object, whatever happens, as a mask."""
    return _shaped(arch, ((), ("file",)))


@lru_cache(maxsize=64)
def one_entry(arch: int) -> int:
    """The calls that look up one name, and the directory it is in when it is made or removed, as a mask."""
    entry = ((), ("file",), ("parent", "create"), ("parent", "delete"), ("missing", "parent", "create"))
    return _shaped(arch, entry) & ~one_name(arch)


@lru_cache(maxsize=64)
def listed(arch: int) -> int:
    """The calls that are known to collect path objects."""
    mask = 0
    for number, name in names(arch).items() if arch != WORKER_ARCH else ():
        if number < 2048 and any(shapes().get(name, ())):
            mask |= 1 << number
    return mask


@lru_cache(maxsize=64)
def removing(arch: int) -> int:
    """The calls that remove names: unlink, rmdir, rename and their kin."""
    mask = 0
    for number, name in names(arch).items() if arch != WORKER_ARCH else ():
        lists = shapes().get(name, ())
        if number < 2048 and any("delete" in each for each in lists):
            mask |= 1 << number
    return mask


def _shaped(arch: int, allowed: tuple[tuple[str, ...], ...]) -> int:
    mask = 0
    for number, name in names(arch).items() if arch != WORKER_ARCH else ():
        lists = shapes().get(name)
        if number < 2048 and lists and any(lists) and all(each in allowed for each in lists):
            mask |= 1 << number
    return mask


@lru_cache(maxsize=8)
def with_address() -> frozenset[str]:
    """The calls that hand the kernel a socket address."""
    return frozenset(row[0] for row in rows("cost/syscalls.tsv") if len(row) > 4 and "address" in row[4].split(","))


def numbers(mask: int) -> Iterator[int]:
    """The numbers of a mask, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def renown(name: str | None) -> int:
    """How little known a call is: 0 for the best known."""
    return _USUAL.index(name) if name in _USUAL else len(_USUAL) if name is not None else 2 * len(_USUAL)


@lru_cache(maxsize=4096)
def ranked(arch: int, mask: int) -> tuple[int, ...]:
    """The numbers of a mask, those with the best known names first, those without a name last."""
    known = names(arch)

    def rank(number: int) -> tuple[int, int]:
        name = known.get(number)
        if name is None:
            return (2, number)
        return (0, _USUAL.index(name)) if name in _USUAL else (1, number)

    return tuple(sorted(numbers(mask), key=rank))


def _best(arch: int, mask: int) -> int:
    return ranked(arch, mask)[0]
