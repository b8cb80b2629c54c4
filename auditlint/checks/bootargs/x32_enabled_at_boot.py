"""AL858: x32 system calls are switched on, and no rule can name them."""

from __future__ import annotations

from auditlint.checks.api import CmdlineContext, Hit, Hits

_ON = frozenset({"y", "Y", "1", "on"})


def check(context: CmdlineContext) -> Hits:
    if context.machine not in ("x86_64", "i386", "i686"):
        return
    for line in context.lines:
        last = line.last("syscall.x32")
        if last is not None and last.value in _ON:
            yield Hit(
                last.location(),
                "x32 system calls are enabled: their numbers have bit 30 set and no bit in any rule, so every exit "
                "rule and watch is blind to them",
            )
