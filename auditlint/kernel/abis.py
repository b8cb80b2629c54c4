"""The ABIs of a kernel: one answer for rules, coverage and prices."""

from __future__ import annotations

from functools import lru_cache

from auditlint.auditctl import tables
from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.core.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.tables import Machine
    from auditlint.core.target import Target


@dataclass(frozen=True, slots=True)
class KernelAbi:
    """An ABI: its AUDIT_ARCH value and its name. auditctl has system calls and an `arch` word for some only."""

    elf: int
    name: str

    @property
    def machine(self) -> Machine | None:
        """What auditctl knows of it."""
        return tables.machines().get(self.name)


def abis(target: Target) -> tuple[KernelAbi, ...]:
    """The ABIs that the target's kernel can run, its own first; none for a machine whose AUDIT_ARCH is not known.

    The kernel `none` has all of them.
    """
    return _abis(target.machine, target.kernel)


@lru_cache(maxsize=32)
def _abis(machine: str, kernel: str) -> tuple[KernelAbi, ...]:
    values = {name: elf for elf, name in tables.arch_values().items()}
    if machine not in values:
        return ()
    others = [
        name
        for own, name, since in rows("abis.tsv")
        if own == machine and (kernel == NO_KERNEL or version(kernel) >= version(since))
    ]
    return tuple(KernelAbi(values[name], name) for name in (machine, *others))
