"""What a host has of the audit user space: programs, and the services that start them."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

State: TypeAlias = "Literal['enabled', 'disabled', 'masked', 'not known']"
"""`not known`: the service is there, and nothing tells whether it starts at boot."""


_LOADERS = ("audit-rules", "augenrules")


@dataclass(frozen=True, slots=True)
class Service:
    """A service (`auditd`, `audit-rules`, `augenrules`), whether it starts at boot, and the file that says so."""

    name: str
    state: State
    source: str


@dataclass(frozen=True, slots=True)
class UserSpace:
    """Paths of the programs (None: not there) and the services that have to do with audit. `whole`: the image has what
    every bootable system has, so that what is not there is missing; else it may be a part that is laid over another."""

    auditctl: str | None
    augenrules: str | None
    auditd: str | None
    services: tuple[Service, ...] = ()
    whole: bool = True

    @property
    def loads_at_boot(self) -> bool | None:
        """Does a service load the rules at boot? None when that is not known: something else may load them.

        Where the package has a unit of its own for the rules, auditd does not load them itself (audit 4.0 on).
        """
        own = tuple(name for name in _LOADERS if any(service.name == name for service in self.services))
        return self._any(own or ("auditd",))

    @property
    def daemon_at_boot(self) -> bool | None:
        """Does auditd start at boot? False without the daemon, None when that is not known."""
        return False if self.auditd is None else self._any(("auditd",))

    def _any(self, names: tuple[str, ...]) -> bool | None:
        states = [service.state for service in self.services if service.name in names]
        if "enabled" in states:
            return True
        return None if not states or "not known" in states else False
