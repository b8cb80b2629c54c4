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
                f"{line.symbol}=y: x32 system call numbers have bit 30 set and no bit in any rule, so every exit "
                "rule and watch is blind to programs built for x32",
            )
