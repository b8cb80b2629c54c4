"""AL813: system call auditing comes along with AppArmor and nobody asked for audit."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Hit, Hits

_PUBLISHED = {
    "arm64": "dd fell from 500 to 350 MB/s on arm64 between 4.4 and 4.9",
    "arm": "dd fell from 400 to 300 MB/s on arm between 4.4 and 4.9",
    "x86_64": "dd took 1.70 s instead of 1.29 s on x86_64, Linux 4.20",
}
"""The published figures (rulesets/cost, auditsyscall-forced-on-arm-2019 and never-task-x86-2019)."""


def check(context: ConfigContext) -> Hits:
    if context.resolved or not context.kernel_at_least("4.5") or not context.on("AUDITSYSCALL"):
        return
    request = context.request("AUDIT")
    if not context.on("SECURITY_APPARMOR") or (request is not None and not request.value.startswith("n")):
        return
    if context.fragment and context.request("SECURITY_APPARMOR") is None:
        return
    figure = _PUBLISHED.get(context.arch, _PUBLISHED["arm64"])
    yield Hit(
        context.at("SECURITY_APPARMOR"),
        f"AppArmor turns on AUDIT and AUDITSYSCALL in {context.where}: with auditing on, every system call is slower "
        f"({figure}); if nothing uses audit, boot with audit=0",
    )
