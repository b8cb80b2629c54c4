"""AL816: a security module is built in and left out of the list of those that are started."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits

_NAMES = {
    "SECURITY_SELINUX": "selinux",
    "SECURITY_APPARMOR": "apparmor",
    "SECURITY_SMACK": "smack",
    "SECURITY_IPE": "ipe",
}
"""The modules that write audit records."""


def check(context: ConfigContext) -> Hits:
    order = context.request("LSM")
    if order is None or not context.kernel_at_least("5.1") or not context.on("SECURITY"):
        return
    listed = order.value.strip('"').split(",")
    missing = [symbol for symbol, name in _NAMES.items() if context.on(symbol) and name not in listed]
    if context.fragment:
        missing = [symbol for symbol in missing if context.request(symbol) is not None]
    if missing:
        names = ", ".join(_NAMES[symbol] for symbol in missing)
        yield Hit(
            context.at("LSM"),
            f"{names} will not start and writes no audit records: built in but not in CONFIG_LSM; add it, or boot with "
            "lsm=",
            tuple(context.at(symbol, "built in here") for symbol in missing if context.request(symbol) is not None),
        )
