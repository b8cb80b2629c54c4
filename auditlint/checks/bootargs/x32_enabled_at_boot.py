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
                "no exit rule or watch records x32 programs: no rule can name x32 calls (bit 30); remove this word",
            )
