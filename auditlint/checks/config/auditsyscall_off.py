"""AL802: AUDIT is on, AUDITSYSCALL is off, and the configuration could have it."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigSubject
    from auditlint.core.source import Location


def check(subject: ConfigSubject) -> Iterator[Hit]:
    if subject.policy == "no-audit" or not subject.on("AUDIT") or subject.on("AUDITSYSCALL"):
        return
    refused = subject.request("AUDITSYSCALL")
    if refused is not None and refused.value.startswith("n"):
        symbol, reason = "AUDITSYSCALL", _refused(subject)
    elif blocking := _arm(subject):
        symbol, reason = blocking
    elif not subject.fragment and subject.syscalls_possible:
        symbol, reason = "AUDIT", f"{subject.why('AUDITSYSCALL')}; set CONFIG_AUDITSYSCALL=y"
    else:
        return  # the architecture cannot: audit-without-syscalls
    related: tuple[Location, ...] = (subject.at("AUDIT", "AUDIT is on"),) if symbol != "AUDIT" else ()
    yield Hit(
        subject.at(symbol),
        f"AUDIT is on without AUDITSYSCALL ({subject.where}): rules on the exit and task lists and all file watches "
        f"are refused with EINVAL; {reason}",
        related,
    )


def _refused(subject: ConfigSubject) -> str:
    if subject.resolved and subject.kernel_at_least("4.5"):
        return "the file is from a kernel that gave AUDITSYSCALL its prompt back (vendor trees do), set it to y"
    if subject.resolved:
        return "a line `is not set` in a resolved file means that it could be y"
    return "set CONFIG_AUDITSYSCALL=y"


def _arm(subject: ConfigSubject) -> tuple[str, str] | None:
    """The 32-bit ARM choice that rules out system call auditing, with the reason."""
    if subject.arch != "arm":
        return None
    if subject.on("OABI_COMPAT"):
        return "OABI_COMPAT", "OABI_COMPAT=y rules it out: the number of a call does not tell the old ABI from the new"
    if subject.request("AEABI") is not None and not subject.on("AEABI"):
        return "AEABI", "on arm it needs AEABI=y"
    return None
