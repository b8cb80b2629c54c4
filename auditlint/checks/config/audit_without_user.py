"""AL820: audit is built in and no security module makes use of it."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits

_USERS = (
    "SECURITY_SELINUX",
    "SECURITY_APPARMOR",
    "SECURITY_SMACK",
    "SECURITY_IPE",
    "SECURITY_LANDLOCK_LOG",
    "INTEGRITY_AUDIT",
)


def check(context: ConfigContext) -> Hits:
    if context.policy is not None or context.fragment or not context.on("AUDITSYSCALL"):
        return
    if any(context.on(symbol) for symbol in _USERS):
        return
    yield Hit(
        context.at("AUDIT"),
        f"no security module in {context.where} uses AUDIT: without auditd or rules, AUDIT=n loses nothing; "
        'with them, set policy = "audit"',
    )
