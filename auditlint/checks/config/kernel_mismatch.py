"""AL815: a resolved configuration says what the kernel of that version cannot give: it is another kernel."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits, Location

_WORTH = ("AUDIT", "AUDITSYSCALL", "SECURITY_SELINUX", "SECURITY_APPARMOR")


def check(context: ConfigContext) -> Hits:
    for found in context.evaluation.contradictions:
        if found.symbol not in _WORTH:
            continue
        line = found.assignment
        at = Location(line.source, line.span) if line is not None else context.at(found.symbol)
        yield Hit(
            at,
            f"the file says {found.symbol}={found.value}, Linux {context.kernel} as published would make it "
            f"{found.expected} ({found.why}). Either this kernel has changed Kconfig files, and what is said about its "
            "version may not hold; or the line was edited by hand, and make olddefconfig puts it back",
        )
