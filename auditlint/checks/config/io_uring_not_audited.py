"""AL817: io_uring on a kernel that audits system calls but not what io_uring does."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    if context.fragment or context.policy == "no-audit" or context.kernel_at_least("5.16"):
        return
    if context.on("AUDITSYSCALL") and context.on("IO_URING"):
        yield Hit(
            context.at("IO_URING" if context.request("IO_URING") is not None else "AUDIT"),
            f"io_uring opens, reads and connects without system calls, and {context.where} has no audit for it (5.16 "
            "brought the io_uring list): what a program does that way matches no rule; set IO_URING=n (needs EXPERT) "
            "where the trail has to be complete",
        )
