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
    needs = [symbol for symbol in ("SECURITY_SELINUX", "SECURITY_IPE") if context.on(symbol)]
    advice = (
        "to be without it, AppArmor has to go; or keep both and boot with audit=0"
        if forced
        else f"{' and '.join(needs)} would go with it; or keep it and boot with audit=0"
        if needs
        else "set it to n, or keep it and boot with audit=0"
    )
    yield Hit(
        context.at(at),
        f"the policy is no-audit and AUDIT is y{' with AUDITSYSCALL' if context.on('AUDITSYSCALL') else ''} "
        f"({context.where}): {context.why('AUDIT')}; {advice}",
    )
