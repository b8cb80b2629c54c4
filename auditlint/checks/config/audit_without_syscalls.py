"""AL812: AUDIT is on where the architecture cannot audit system calls."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits

_USERS = ("SECURITY_SELINUX", "SECURITY_APPARMOR", "SECURITY_SMACK", "INTEGRITY_AUDIT", "NETFILTER_XT_TARGET_AUDIT")


def check(context: ConfigContext) -> Hits:
    if context.assumed("arch") or not context.on("AUDIT") or context.on("AUDITSYSCALL"):
        return
    if context.fragment and (context.request("AUDIT") is None or context.arch == "arm"):
        return  # on arm it depends on the ABI, which another layer may choose
    if context.syscalls_possible or (context.arch == "arm" and context.on("OABI_COMPAT")):
        return
    refused = context.request("AUDITSYSCALL")
    if refused is not None and refused.value.startswith("n"):
        return  # auditsyscall-off
    users = [
        symbol for symbol in _USERS if context.on(symbol) and not (context.fragment and not context.request(symbol))
    ]
    if users:
        use = f"records of {', '.join(users)} and of programs"
    elif context.fragment:
        use = "records of security modules and of programs"
    else:
        use = "records that programs write themselves (login, sudo)"
    yield Hit(
        context.at("AUDIT"),
        f"the kernel refuses every exit rule, task rule and watch (EINVAL): {context.where} cannot audit system calls "
        f"({context.why('AUDITSYSCALL')}); what remains are {use}",
        severity="advice" if users or context.fragment else None,
    )
