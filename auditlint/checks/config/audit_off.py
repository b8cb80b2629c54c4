"""AL801: a kernel without CONFIG_AUDIT."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigSubject


def check(subject: ConfigSubject) -> Iterator[Hit]:
    if subject.policy == "no-audit" or subject.on("AUDIT"):
        return
    request = subject.request("AUDIT")
    if subject.fragment and request is None:
        return
    wanted = subject.policy == "audit"
    selinux = "" if subject.on("SECURITY_SELINUX") else "SELinux is not possible, "  # a vendor kernel may have it
    yield Hit(
        subject.at("AUDIT"),
        f"this kernel ({subject.where}) has no audit: {subject.why('AUDIT')}; auditctl can load nothing, "
        f"{selinux}and audit=1 on the command line goes to init"
        + ("" if wanted else '; if that is meant, say so with policy = "no-audit"'),
        severity="error" if wanted else "advice",
    )
