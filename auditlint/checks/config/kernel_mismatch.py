"""AL815: a resolved configuration says what the kernel of that version cannot give: it is another kernel."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits, Location

_WORTH = ("AUDIT", "AUDITSYSCALL", "SECURITY_SELINUX", "SECURITY_APPARMOR")


def check(context: ConfigContext) -> Hits:
    for contradiction in context.evaluation.contradictions:
        if contradiction.symbol not in _WORTH:
            continue
        line = contradiction.assignment
        at = Location(line.source, line.span) if line is not None else context.at(contradiction.symbol)
        yield Hit(
            at,
            f"{contradiction.symbol}={contradiction.value} cannot come from Linux {context.kernel} as published, which "
            f"gives {contradiction.expected} ({contradiction.why}): patched Kconfig files, or a line edited by hand, "
            "which make olddefconfig undoes",
        )
