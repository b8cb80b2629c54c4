"""Hits for requests of a kernel configuration that have no effect."""

from __future__ import annotations

from auditlint.core.findings import Hit
from auditlint.core.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.config import ConfigContext
    from auditlint.core.findings import Severity
    from auditlint.kconfig.model import Assignment, Dropped

LSM = frozenset(
    {
        "BPF_LSM",
        "SECURITY_APPARMOR",
        "SECURITY_IPE",
        "SECURITY_LANDLOCK",
        "SECURITY_LOADPIN",
        "SECURITY_LOCKDOWN_LSM",
        "SECURITY_SAFESETID",
        "SECURITY_SELINUX",
        "SECURITY_SMACK",
        "SECURITY_TOMOYO",
        "SECURITY_YAMA",
    }
)


_NEAR = frozenset(
    {
        "AEABI",
        "DM_AUDIT",
        "EVM",
        "FSNOTIFY",
        "INET",
        "IO_URING",
        "LSM",
        "MULTIUSER",
        "NET",
        "NETFILTER_XT_TARGET_AUDIT",
        "OABI_COMPAT",
    }
)
_NEAR_PREFIXES = ("AUDIT", "SECURITY", "INTEGRITY", "IMA", "DEFAULT_SECURITY", "CMDLINE", "HAVE_ARCH_AUDIT")


def severity(symbol: str) -> Severity | None:
    """Advice for the symbols that are known only because those of audit depend on them (BLOCK, PROC_FS, MODULES)."""
    return None if symbol in LSM or symbol in _NEAR or symbol.startswith(_NEAR_PREFIXES) else "advice"


def at(assignment: Assignment) -> Location:
    return Location(assignment.source, assignment.span)


def asked(assignment: Assignment) -> str:
    return f"{assignment.symbol}={assignment.value}"


def dropped_hit(context: ConfigContext, drop: Dropped) -> Hit:
    """A request that has no effect because of its dependencies, with the lines that set those."""
    related = tuple(
        Location(line.source, line.span, f"{line.symbol}={line.value} is requested here")
        for symbol in drop.blame
        if (line := context.request(symbol)) is not None and line is not drop.assignment
    )
    effect = "becomes m" if drop.value == "m" else "has no effect"
    return Hit(
        at(drop.assignment),
        f"{asked(drop.assignment)} {effect} in {context.where}: {drop.why}",
        related,
        severity=severity(drop.assignment.symbol),
    )


def asks_for_more(drop: Dropped) -> bool:
    """Does the request want the symbol on, or want a text?"""
    value = drop.assignment.value
    return not value.startswith("n") and value not in ('""', "")
