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
    selinux = "" if context.on("SECURITY_SELINUX") else " and SELinux cannot be built in"  # a vendor kernel may have it
    yield Hit(
        context.at("AUDIT"),
        f"auditctl can load nothing{selinux}: AUDIT is off in {context.where} ({context.why('AUDIT')})"
        + ("" if wanted else '; if that is intended, set policy = "no-audit"'),
        severity="error" if wanted else "advice",
    )
