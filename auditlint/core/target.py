"""What the rules are judged for: kernel line, machine, audit user space. Never guessed from the host."""

from __future__ import annotations

from functools import lru_cache

from auditlint.core.frozen import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

AUDITCTL_RELEASES = ("2.8.5", "3.0.9", "3.1.5", "4.0.3", "4.2")
DEFAULT_AUDITCTL = "4.2"
DEFAULT_KERNEL = "7.3"
DEFAULT_MACHINE = "x86_64"
NO_KERNEL = "none"
"""The kernel that acknowledges everything."""


@lru_cache(maxsize=256)
def version(text: str) -> tuple[int, ...]:
    """`"3.0.9"` as (3, 0, 9). Raises ValueError for anything but numbers and dots.

    An audit user space `4.2` stands for 4.2 and all that follows in that series.
    """
    return tuple(int(part) for part in text.split("."))


BY_OPTION, BY_SETTINGS, BY_DEFAULT, BY_CONFIGURATION, OF_IMAGE = (
    "option",
    "settings",
    "default",
    "configuration",
    "image:",
)
"""Where a part of the target comes from; OF_IMAGE is followed by the file of the image that says so."""


@dataclass(frozen=True, slots=True)
class TargetSource:
    """Where each part of a target comes from, and the release of a distribution that was named or recognised."""

    kernel: str = BY_DEFAULT
    machine: str = BY_DEFAULT
    auditctl: str = BY_DEFAULT
    release: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Kernel line (`"6.1"` or `"none"`), machine as in `uname -m`, and auditctl release. `vendor` keeps the kernel line
    and takes over features of later ones; which of them is not known.

    Two targets that mean the same are equal, wherever their parts come from.
    """

    kernel: str = DEFAULT_KERNEL
    machine: str = DEFAULT_MACHINE
    auditctl: str = DEFAULT_AUDITCTL
    source: TargetSource = field(default=TargetSource(), compare=False)
    vendor: str | None = None
    vendor_faults: tuple[str, ...] = ()
    """Faults of a later line that this release of the vendor has, by the name of the check that reports them."""

    def auditctl_at_least(self, release: str) -> bool:
        return version(self.auditctl) >= version(release)

    def kernel_at_least(self, line: str) -> bool:
        """False for the kernel `none`, which has no age."""
        return self.kernel != NO_KERNEL and version(self.kernel) >= version(line)


def configured(target: Target, kernel: str, machine: str) -> Target:
    """The target with what a configuration says it is for, where that differs from what was chosen."""
    source = target.source
    return replace(
        target,
        vendor=target.vendor if kernel == target.kernel else None,
        vendor_faults=target.vendor_faults if kernel == target.kernel else (),
        kernel=kernel,
        machine=machine,
        source=replace(
            source,
            kernel=source.kernel if kernel == target.kernel else BY_CONFIGURATION,
            machine=source.machine if machine == target.machine else BY_CONFIGURATION,
        ),
    )


def target_record(target: Target) -> dict[str, Any]:
    """The target as every JSON report shows it: the parts, and `source` with where each comes from."""
    source = target.source
    record: dict[str, Any] = {"kernel": target.kernel, "machine": target.machine, "auditctl": target.auditctl}
    if target.vendor is not None:
        record["vendor"] = target.vendor
    if source.release is not None:
        record["release"] = source.release
    record["source"] = {"kernel": source.kernel, "machine": source.machine, "auditctl": source.auditctl}
    return record


def target_line(target: Target) -> str:
    """The line that begins a text report: what it was judged for, and where that comes from.

    `Judged for Linux 6.1, x86_64, auditctl 3.0.9 (auditctl from image: var/lib/dpkg/status; machine by default)`.
    What was given by options needs no remark; when nothing was, the line says how to choose.
    """
    source = target.source
    kernel = "a kernel that accepts everything" if target.kernel == NO_KERNEL else f"Linux {target.kernel}"
    if target.vendor is not None:
        kernel += f" of {target.vendor}"
    line = f"Judged for {kernel}, {target.machine}, auditctl {target.auditctl}"
    parts = {"kernel": source.kernel, "machine": source.machine, "auditctl": source.auditctl}
    if set(parts.values()) == {BY_DEFAULT}:
        return f"{line} (defaults; choose with --target debian-12 or --kernel, --machine, --auditctl)"
    if source.release is not None:
        line += f", {source.release}"
    by_source: dict[str, list[str]] = {}
    for name, where in parts.items():
        if where != BY_OPTION:
            by_source.setdefault(where, []).append(name)
    remarks = []
    for where, names in by_source.items():
        if where == BY_DEFAULT:
            remarks.append(f"{_joined(names)} by default")
        elif where.startswith(OF_IMAGE):
            remarks.append(f"{_joined(names)} from image: {where.removeprefix(OF_IMAGE)}")
        else:
            remarks.append(f"{_joined(names)} from {'the ' + where}")
    return f"{line} ({'; '.join(remarks)})" if remarks else line


def _joined(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
