"""AL812: AUDIT is on where the architecture cannot audit system calls."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigSubject

_USERS = ("SECURITY_SELINUX", "SECURITY_APPARMOR", "SECURITY_SMACK", "INTEGRITY_AUDIT", "NETFILTER_XT_TARGET_AUDIT")


def check(subject: ConfigSubject) -> Iterator[Hit]:
    if subject.assumed("arch") or not subject.on("AUDIT") or subject.on("AUDITSYSCALL"):
        return
    if subject.fragment and (subject.request("AUDIT") is None or subject.arch == "arm"):
        return  # on arm it depends on the ABI, which another layer may choose
    if subject.syscalls_possible or (subject.arch == "arm" and subject.on("OABI_COMPAT")):
        return
    refused = subject.request("AUDITSYSCALL")
    if refused is not None and refused.value.startswith("n"):
        return  # auditsyscall-off
    users = [
        symbol for symbol in _USERS if subject.on(symbol) and not (subject.fragment and not subject.request(symbol))
    ]
    if users:
        use = f"what is left are the records of {', '.join(users)} and of programs"
    elif subject.fragment:
        use = "what is left are the records of security modules and of programs"
    else:
        use = "what is left are the records that programs write themselves (login, sudo)"
    yield Hit(
        subject.at("AUDIT"),
        f"AUDIT is on, but {subject.arch} cannot audit system calls ({subject.where}): {subject.why('AUDITSYSCALL')}. "
        f"Rules on the exit and task lists and all watches are refused with EINVAL; {use}",
        severity="advice" if users or subject.fragment else None,
    )
