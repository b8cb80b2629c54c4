"""What the inputs are judged for, out of all that options, an image, a release and the settings say.

For each part the first that says something counts: an option for it; the image's own facts; --target; what the
release of the image shipped; the settings; the target of the settings; the default.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, replace
from auditlint.core.target import (
    BY_DEFAULT,
    BY_OPTION,
    BY_SETTINGS,
    DEFAULT_AUDITCTL,
    DEFAULT_KERNEL,
    DEFAULT_MACHINE,
    NO_KERNEL,
    OF_IMAGE,
    Target,
    TargetSource,
    version,
)
from auditlint.core.target_names import (
    OLDEST_AUDITCTL,
    OLDEST_KERNEL,
    auditctl_release,
    kernel_line,
    kernel_vendor,
    machine_and_arch,
    machine_name,
    vendor_faults,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.core.facts import Facts
    from auditlint.core.run_options import RunOptions
    from auditlint.core.settings import PathSettings
    from auditlint.core.targets import Release


@dataclass(frozen=True, slots=True)
class TargetWish:
    """What one place says about the target; None where it says nothing. `source` is shown in reports."""

    source: str
    kernel: str | None = None
    machine: str | None = None
    auditctl: str | None = None
    release: Release | None = None
    vendor: str | None = None
    vendor_faults: tuple[str, ...] = ()


def of_release(source: str, release: Release | None) -> TargetWish:
    """What a release shipped."""
    if release is None:
        return TargetWish(source)
    return TargetWish(source, release.kernel, None, release.auditctl, release, release.vendor)


def parts_of(target: Target) -> list[TargetWish]:
    """The parts of a target that was chosen before, each with its source."""
    source = target.source
    return [
        TargetWish(source.kernel, kernel=target.kernel, vendor=target.vendor, vendor_faults=target.vendor_faults),
        TargetWish(source.machine, machine=target.machine),
        TargetWish(source.auditctl, auditctl=target.auditctl),
    ]


def choose(wishes: Sequence[TargetWish]) -> tuple[Target, tuple[str, ...]]:
    """The target, and remarks about the parts that the nearest known line or release stands in for."""
    parts: dict[str, tuple[str, str]] = {}
    defaults = {"kernel": DEFAULT_KERNEL, "machine": DEFAULT_MACHINE, "auditctl": DEFAULT_AUDITCTL}
    for part in defaults:
        for wish in wishes:
            value = getattr(wish, part)
            if value is not None:
                parts[part] = value, wish.source
                break
    remarks = []
    kernel, auditctl = (parts.get(part, (defaults[part], ""))[0] for part in ("kernel", "auditctl"))
    if kernel != NO_KERNEL and version(kernel) < version(OLDEST_KERNEL):
        remarks.append(f"no table for rules on Linux {kernel}; rules are judged for {OLDEST_KERNEL}, the nearest")
        kernel = OLDEST_KERNEL
    if version(auditctl) < version(OLDEST_AUDITCTL):
        remarks.append(f"no table for auditctl {auditctl}; rules are judged for {OLDEST_AUDITCTL}, the nearest")
        auditctl = OLDEST_AUDITCTL
    of_kernel = next((wish for wish in wishes if wish.kernel is not None), TargetWish(BY_DEFAULT))
    release = next((wish.release for wish in wishes if wish.release is not None), None)
    source = TargetSource(
        **{part: where for part, (_, where) in parts.items()}, release=None if release is None else release.name
    )
    machine = parts.get("machine", (DEFAULT_MACHINE, ""))[0]
    return Target(kernel, machine, auditctl, source, of_kernel.vendor, of_kernel.vendor_faults), tuple(remarks)


def with_release_facts(facts: Facts, release: Release, links: bool) -> Facts:
    """Facts with what a release ships, where nobody knows better: security module, lowest user id, usual links, and
    the account of the time service that packages of this release do not make."""
    from auditlint.core import targets

    absent = frozenset(("chrony", "_chrony")) - frozenset(release.accounts)
    return replace(
        facts,
        lsm=facts.lsm or release.lsm,
        uid_min=facts.uid_min if facts.uid_min is not None else release.uid_min,
        symlinks=targets.links(release.name) if links and not facts.symlinks else facts.symlinks,
        users_missing=facts.users_missing | absent if facts.users is None and len(absent) == 1 else facts.users_missing,
    )


def for_path(options: RunOptions, said: PathSettings) -> RunOptions:
    """The options for an input whose path settings say something about the target. Options of the command line and
    the facts of an image win. Raises UserError for a value that is wrong."""
    from auditlint.core import targets

    target, source = options.target, options.target.source
    release = None if said.target is None else targets.release(said.target)
    own = TargetWish(
        BY_SETTINGS,
        None if said.kernel is None else kernel_line(said.kernel),
        None if said.machine is None else machine_name(said.machine),
        None if said.auditctl is None else auditctl_release(said.auditctl),
        vendor=None if said.kernel is None else kernel_vendor(said.kernel),
        vendor_faults=() if said.kernel is None else vendor_faults(said.kernel),
    )
    machine, arch = machine_and_arch(own.machine, said.arch) if said.arch or said.machine else (None, None)
    parts = parts_of(target)
    wishes = [part for part in parts if part.source == BY_OPTION or part.source.startswith(OF_IMAGE)]
    wishes += [replace(own, machine=machine), of_release(BY_SETTINGS, release)]
    wishes += [part for part in parts if part.source == BY_SETTINGS]
    chosen, remarks = choose(wishes)
    facts = (
        options.facts
        if release is None
        else with_release_facts(options.facts, release, not options.facts.paths_complete)
    )
    return replace(
        options,
        kernel=options.kernel
        if source.kernel == BY_OPTION
        else own.kernel or (options.kernel if release is None else None),
        machine=options.machine if source.machine == BY_OPTION else machine or options.machine,
        auditctl=options.auditctl if source.auditctl == BY_OPTION else own.auditctl or options.auditctl,
        arch=options.arch if source.machine == BY_OPTION else arch or options.arch,
        target=chosen,
        facts=facts,
        awk=release.awk if release is not None and release.awk is not None else options.awk,
        remarks=(*options.remarks, *remarks),
    )
