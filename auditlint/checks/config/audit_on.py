"""AL814: the policy says no audit, and the kernel has it."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigSubject


def check(subject: ConfigSubject) -> Iterator[Hit]:
    if subject.policy != "no-audit" or not subject.on("AUDIT"):
        return
    if subject.fragment and subject.request("AUDIT") is None and not subject.on("SECURITY_APPARMOR"):
        return
    forced = subject.on("SECURITY_APPARMOR")
    at = "SECURITY_APPARMOR" if forced and subject.request("SECURITY_APPARMOR") is not None else "AUDIT"
    needs = [symbol for symbol in ("SECURITY_SELINUX", "SECURITY_IPE") if subject.on(symbol)]
    advice = (
        "to be without it, AppArmor has to go; or keep both and boot with audit=0"
        if forced
        else f"{' and '.join(needs)} would go with it; or keep it and boot with audit=0"
        if needs
        else "set it to n, or keep it and boot with audit=0"
    )
    yield Hit(
        subject.at(at),
        f"the policy is no-audit and AUDIT is y{' with AUDITSYSCALL' if subject.on('AUDITSYSCALL') else ''} "
        f"({subject.where}): {subject.why('AUDIT')}; {advice}",
    )
