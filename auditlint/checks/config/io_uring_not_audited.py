"""AL817: io_uring on a kernel that audits system calls but not what io_uring does."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    if context.fragment or context.policy == "no-audit" or context.kernel_at_least("5.16"):
        return
    if context.on("AUDITSYSCALL") and context.on("IO_URING"):
        yield Hit(
            context.at("IO_URING" if context.request("IO_URING") is not None else "AUDIT"),
            f"files opened and connections made through io_uring match no rule: {context.where} cannot audit io_uring "
            "(5.16 can); set IO_URING=n, which depends on EXPERT",
        )
