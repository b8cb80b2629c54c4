"""AL801: a kernel without CONFIG_AUDIT."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigContext


def check(context: ConfigContext) -> Iterator[Hit]:
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
