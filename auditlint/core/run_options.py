"""What a run is asked for: target, facts and settings."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts
    from auditlint.core.settings import Settings
    from auditlint.core.target import Target


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the shared options and the settings file say together; the command line wins.

    `kernel`, `machine` and `auditctl` are None when nobody said them; `target` has the defaults in their place.
    `arch` is the kernel's ARCH, as said or as the machine implies it. `awk` runs augenrules on the target, None when
    that is not known. `remarks` are lines about what the target could not be taken from, or is judged by instead.
    """

    kernel: str | None
    machine: str | None
    auditctl: str | None
    arch: str | None
    target: Target
    facts: Facts
    settings: Settings
    awk: str | None = None
    remarks: tuple[str, ...] = ()
