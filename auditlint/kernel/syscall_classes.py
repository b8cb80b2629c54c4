"""Permission classes: which system calls `perm` and the class bits of a mask mean, by ABI and kernel line.

Source: audit_match_perm() in kernel/auditsc.c, audit_register_class() in kernel/auditfilter.c, lib/audit.c,
lib/compat_audit.c and the per-architecture tables, Linux 6.1.192; numbers in `rulesets/syscall-classes.tsv`.
"""

from __future__ import annotations

from functools import lru_cache

from auditlint.auditctl.model import PERM_A, PERM_R, PERM_W, PERM_X
from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.core.target import NO_KERNEL, version
from auditlint.kernel.event import Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.target import Target
    from auditlint.kernel.event import Number, Tristate

_NEWEST_READ = (6, 12)
"""The class lists were read up to this kernel line."""
_SYS_BIND = 2
_LIST_CLASSES = (("write", PERM_W), ("read", PERM_R), ("attr", PERM_A))


@dataclass(frozen=True, slots=True)
class Abi:
    """The classes of one ABI as masks (bit n for system call number n).

    `elf` is its AUDIT_ARCH_* number. `maybe_*` are the calls of which it is not known whether a kernel
    newer than 6.12 counts them; 0 for older kernels.
    """

    elf: int
    write: int = 0
    read: int = 0
    attr: int = 0
    dir_write: int = 0
    signal: int = 0
    open: int = 0
    openat: int = 0
    openat2: int = 0
    socketcall: int = 0
    exec: int = 0
    maybe_write: int = 0
    maybe_read: int = 0
    maybe_attr: int = 0

    def members(self, perm: int) -> int:
        """Mask of the calls for which `perm` (x1 w2 r4 a8) can be true, with suitable arguments."""
        mask = 0
        if perm & PERM_W:
            mask |= self.write | self.socketcall
        if perm & PERM_R:
            mask |= self.read
        if perm & (PERM_R | PERM_W):
            mask |= self.open | self.openat | self.openat2
        if perm & PERM_A:
            mask |= self.attr
        if perm & PERM_X:
            mask |= self.exec
        return mask

    def doubtful(self, perm: int) -> int:
        """Mask of the calls for which it is not known whether `perm` is true (`maybe_*`)."""
        mask = 0
        if perm & PERM_W:
            mask |= self.maybe_write
        if perm & PERM_R:
            mask |= self.maybe_read
        if perm & PERM_A:
            mask |= self.maybe_attr
        return mask


@dataclass(frozen=True, slots=True)
class Tables:
    """The ABIs of a kernel: its own, and the 32-bit one beside it where that has class tables."""

    native: Abi
    compat: Abi | None

    def abi(self, arch: int) -> Abi:
        """The class tables for an AUDIT_ARCH_* number: anything but the compat ABI counts as native."""
        return self.compat if self.compat is not None and arch == self.compat.elf else self.native


def tables(target: Target) -> Tables:
    """Class tables of a machine and kernel line; an unknown machine has empty ones."""
    return _tables(target.machine, target.kernel)


@lru_cache(maxsize=64)
def _tables(machine: str, kernel: str) -> Tables:
    line = version(kernel) if kernel != NO_KERNEL else None
    found: dict[str, dict[str, int]] = {}
    for machines, role, elf, kind, *cells in rows("syscall-classes.tsv"):
        if machine not in machines.split(","):
            continue
        masks = found.setdefault(role, {"elf": int(elf, 16)})
        if kind.endswith("?"):
            if line is None or line > _NEWEST_READ:
                masks["maybe_" + kind[:-1]] = _mask(cells, line)
        else:
            masks[kind] = _mask(cells, line)
    compat = found.get("compat")
    return Tables(Abi(**found.get("native", {"elf": 0})), Abi(**compat) if compat else None)


def _mask(cells: list[str], line: tuple[int, ...] | None) -> int:
    """Numbers as a mask, without those that the kernel line does not have yet."""
    mask = 0
    for word in cells[0].split() if cells else ():
        number, _, since = word.partition("@")
        if not since or line is None or line >= version(since):
            mask |= 1 << int(number)
    return mask


def selector_members(target: Target) -> tuple[int, ...]:
    """What the class bits stand for: element i is the mask that replaces bit 2047 - i.

    AUDIT_CLASS_DIR_WRITE, _32, CHATTR, _32, READ, _32, WRITE, _32, SIGNAL, _32; the other bits are only
    cleared (include/uapi/linux/audit.h, audit_to_entry_common()).
    """
    return _selector_members(target.machine, target.kernel)


@lru_cache(maxsize=64)
def _selector_members(machine: str, kernel: str) -> tuple[int, ...]:
    found = _tables(machine, kernel)
    native, compat = found.native, found.compat or Abi(0)
    pairs = ((each.dir_write, each.attr, each.read, each.write, each.signal) for each in (native, compat))
    return tuple(mask for pair in zip(*pairs, strict=True) for mask in pair)


def access_mode(flags: int) -> int:
    """The perm letters of an open by its flags: read-only r, write-only w, read-write and mode 3 both.

    ACC_MODE(), include/linux/fs.h; O_CREAT, O_TRUNC and O_APPEND do not count (measured).
    """
    return (PERM_R, PERM_W, PERM_R | PERM_W, PERM_R | PERM_W)[flags & 3]


def match_perm(
    abi: Abi, number: int, perm: int, args: tuple[Number, Number, Number, Number], flags: Number
) -> Tristate:
    """Whether a call belongs to one of the letters of `perm`. `flags` are those of openat2's structure.

    audit_match_perm(), kernel/auditsc.c.
    """
    if not 0 <= number < 2048:
        return False
    bit = 1 << number
    if bit & (abi.open | abi.openat | abi.openat2):
        word = args[1] if bit & abi.open else args[2] if bit & abi.openat else flags
        wanted = perm & (PERM_R | PERM_W)
        if isinstance(word, Range):
            return None if wanted in (PERM_R, PERM_W) else bool(wanted)
        return bool(wanted & access_mode(word))
    if bit & abi.exec:
        return bool(perm & PERM_X)
    if bit & abi.socketcall:
        if not perm & PERM_W:
            return False
        word = args[0]
        return (None if word.lo <= _SYS_BIND <= word.hi else False) if isinstance(word, Range) else word == _SYS_BIND
    if bit & abi.members(perm):
        return True
    return None if bit & abi.doubtful(perm) else False
