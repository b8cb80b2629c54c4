"""AL801: a kernel without CONFIG_AUDIT."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    if context.policy == "no-audit" or context.on("AUDIT"):
        return
    request = context.request("AUDIT")
    if context.fragment and request is None:
        return
    wanted = context.policy == "audit"
    selinux = "" if context.on("SECURITY_SELINUX") else "SELinux is not possible, "  # a vendor kernel may have it
    yield Hit(
        context.at("AUDIT"),
        f"this kernel ({context.where}) has no audit: {context.why('AUDIT')}; auditctl can load nothing, "
        f"{selinux}and audit=1 on the command line goes to init"
        + ("" if wanted else '; if that is meant, say so with policy = "no-audit"'),
        severity="error" if wanted else "advice",
    )
