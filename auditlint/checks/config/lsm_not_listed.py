"""AL816: a security module is built in and left out of the list of those that are started."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigSubject

_NAMES = {
    "SECURITY_SELINUX": "selinux",
    "SECURITY_APPARMOR": "apparmor",
    "SECURITY_SMACK": "smack",
    "SECURITY_IPE": "ipe",
}
"""The modules that write audit records."""


def check(subject: ConfigSubject) -> Iterator[Hit]:
    order = subject.request("LSM")
    if order is None or not subject.kernel_at_least("5.1") or not subject.on("SECURITY"):
        return
    listed = order.value.strip('"').split(",")
    missing = [symbol for symbol, name in _NAMES.items() if subject.on(symbol) and name not in listed]
    if subject.fragment:
        missing = [symbol for symbol in missing if subject.request(symbol) is not None]
    if missing:
        names = ", ".join(_NAMES[symbol] for symbol in missing)
        yield Hit(
            subject.at("LSM"),
            f"built in but not named in CONFIG_LSM: {names}; without lsm= on the command line they are not started and "
            "write no audit records",
            tuple(subject.at(symbol, "built in here") for symbol in missing if subject.request(symbol) is not None),
        )
