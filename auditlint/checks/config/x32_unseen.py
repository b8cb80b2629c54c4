"""AL818: the kernel takes x32 system calls, which no rule can name."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits, Location


def check(context: ConfigContext) -> Hits:
    if context.arch not in ("x86", "x86_64") or not context.on("AUDITSYSCALL"):
        return
    for file in context.files:
        disabled = file.assignments.last("X86_X32_DISABLED")  # Debian: off unless syscall.x32=y
        if disabled is not None and disabled.value.startswith("y"):
            continue
        line = file.assignments.last("X86_X32_ABI") or file.assignments.last("X86_X32")
        if line is not None and line.value.startswith("y"):
            yield Hit(
                Location(line.source, line.span),
                f"no exit rule or watch records x32 programs: no rule can name x32 calls (bit 30); set {line.symbol}=n",
            )
