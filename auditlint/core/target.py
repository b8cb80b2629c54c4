"""What the rules are judged for: kernel line, machine, audit user space. Never guessed from the host."""

from __future__ import annotations

from functools import lru_cache

from auditlint.core.frozen import dataclass

AUDITCTL_RELEASES = ("2.8.5", "3.0.9", "3.1.5", "4.0.3", "4.2")
DEFAULT_AUDITCTL = "4.2"
DEFAULT_KERNEL = "7.3"
DEFAULT_MACHINE = "x86_64"
NO_KERNEL = "none"
"""The kernel that acknowledges everything."""


@lru_cache(maxsize=256)
def version(text: str) -> tuple[int, ...]:
    """`"3.0.9"` as (3, 0, 9). Raises ValueError for anything but numbers and dots.

    An audit user space `4.2` stands for 4.2 and all that follows in that series.
    """
    return tuple(int(part) for part in text.split("."))


@dataclass(frozen=True, slots=True)
class Target:
    """Kernel line (`"6.1"` or `"none"`), machine as in `uname -m`, and auditctl release."""

    kernel: str = DEFAULT_KERNEL
    machine: str = DEFAULT_MACHINE
    auditctl: str = DEFAULT_AUDITCTL

    def auditctl_at_least(self, release: str) -> bool:
        return version(self.auditctl) >= version(release)

    def kernel_at_least(self, line: str) -> bool:
        """False for the kernel `none`, which has no age."""
        return self.kernel != NO_KERNEL and version(self.kernel) >= version(line)
