"""AL814: the policy says no audit, and the kernel has it."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    if context.policy != "no-audit" or not context.on("AUDIT"):
        return
    if context.fragment and context.request("AUDIT") is None and not context.on("SECURITY_APPARMOR"):
        return
    forced = context.on("SECURITY_APPARMOR")
    at = "SECURITY_APPARMOR" if forced and context.request("SECURITY_APPARMOR") is not None else "AUDIT"
    dependent = [symbol for symbol in ("SECURITY_SELINUX", "SECURITY_IPE") if context.on(symbol)]
    advice = (
        "set SECURITY_APPARMOR=n too, or boot with audit=0"
        if forced
        else f"set AUDIT=n and lose {' and '.join(dependent)}, or boot with audit=0"
        if dependent
        else "set AUDIT=n, or boot with audit=0"
    )
    yield Hit(
        context.at(at),
        f"the policy is no-audit, but AUDIT=y{' and AUDITSYSCALL=y' if context.on('AUDITSYSCALL') else ''} "
        f"in {context.where}: {context.why('AUDIT')}; {advice}",
    )
