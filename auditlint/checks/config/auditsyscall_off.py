"""AL802: AUDIT is on, AUDITSYSCALL is off, and the configuration could have it."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits, Location


def check(context: ConfigContext) -> Hits:
    if context.policy == "no-audit" or not context.on("AUDIT") or context.on("AUDITSYSCALL"):
        return
    refused = context.request("AUDITSYSCALL")
    if refused is not None and refused.value.startswith("n"):
        symbol, reason = "AUDITSYSCALL", _refused(context)
    elif blocking := _arm(context):
        symbol, reason = blocking
    elif not context.fragment and context.syscalls_possible:
        symbol, reason = "AUDIT", f"{context.why('AUDITSYSCALL')}; set CONFIG_AUDITSYSCALL=y"
    else:
        return  # the architecture cannot: audit-without-syscalls
    related: tuple[Location, ...] = (context.at("AUDIT", "AUDIT is on"),) if symbol != "AUDIT" else ()
    yield Hit(
        context.at(symbol),
        f"the kernel refuses every exit rule, task rule and watch (EINVAL): AUDIT is on without AUDITSYSCALL in "
        f"{context.where}; {reason}",
        related,
    )


def _refused(context: ConfigContext) -> str:
    if context.resolved and context.kernel_at_least("4.5"):
        return "this vendor kernel gave AUDITSYSCALL its prompt back, so set CONFIG_AUDITSYSCALL=y"
    if context.resolved:
        return "a line `is not set` in a resolved file means that it could be y"
    return "set CONFIG_AUDITSYSCALL=y"


def _arm(context: ConfigContext) -> tuple[str, str] | None:
    """The 32-bit ARM choice that rules out system call auditing, with the reason."""
    if context.arch != "arm":
        return None
    if context.on("OABI_COMPAT"):
        return "OABI_COMPAT", "OABI_COMPAT=y excludes it, because call numbers do not tell the old ABI from the new"
    if context.request("AEABI") is not None and not context.on("AEABI"):
        return "AEABI", "on arm AUDITSYSCALL depends on AEABI, which is off"
    return None
