"""Names of targets as people write them: kernel lines, releases of auditctl, machines and architectures."""

from __future__ import annotations

import re

from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.kernel_version import parse_kernel_version
from auditlint.core.near_miss import did_you_mean
from auditlint.core.target import DEFAULT_AUDITCTL, NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OLDEST_KERNEL = "3.10"
"""Rules for older lines are judged for this one; configurations are known from OLDEST_CONFIGURATION on."""
_LONGEST_RELEASE = 64
"""Characters of `uname -r` (struct new_utsname)."""
OLDEST_CONFIGURATION = "2.6.32"
OLDEST_AUDITCTL = "2.8"
"""Older releases are judged by this one."""
EARLIEST_AUDITCTL = "2.0"
"""Older releases are refused: their rules are another language."""


def kernel_line(text: str) -> str:
    """`6.1` for `6.1`, `v6.1.192` and `6.1.0-13-amd64`, `2.6.32` for `2.6.32.67`, the newest for `latest`;
    `none` stays.

    Lines before OLDEST_KERNEL have tables for configurations only; for rules the nearest line stands in for them.
    Raises UserError for what is not a kernel line, and for lines before OLDEST_CONFIGURATION.
    """
    if text == NO_KERNEL:
        return text
    parsed = parse_kernel_version(text)
    if parsed is None:
        raise UserError(f"--kernel {text}: not a kernel version; expected for example 6.1, or none")
    line = parsed.line
    if version(line) < version(OLDEST_CONFIGURATION):
        raise UserError(f"--kernel {text}: auditlint knows no kernel before {OLDEST_CONFIGURATION}")
    return line


def kernel_vendor(release: str) -> str | None:
    """Whose kernel it is by its release (`4.18.0-425.el8`), when its vendor takes over features of later lines; None
    for all others."""
    release = release[:_LONGEST_RELEASE]
    return next((row[2] for row in rows("vendor-kernels.tsv") if re.search(row[0], release)), None)


def vendor_faults(release: str) -> tuple[str, ...]:
    """The checks on kernel bugs that hold for a vendor's kernel of this release, whatever its line."""
    release = release[:_LONGEST_RELEASE]
    return tuple(row[1] for row in rows("vendor-faults.tsv") if re.search(row[0], release))


def auditctl_release(text: str) -> str:
    """`3.0.9` for `3.0.9` and `1:3.0.9-1`. The nearest release stands in for those before OLDEST_AUDITCTL.

    Raises UserError for what is not a release, and for those before EARLIEST_AUDITCTL.
    """
    found = re.fullmatch(r"(?:\d+:)?v?(\d{1,4}(?:\.\d{1,4}){1,2})(?:-[\w.+~]*)?", text, re.ASCII)
    if found is None:
        raise UserError(f"--auditctl {text}: not a release; expected for example {DEFAULT_AUDITCTL} or 3.0.9")
    if version(found[1]) < version(EARLIEST_AUDITCTL):
        raise UserError(f"--auditctl {text}: auditlint knows no release before {EARLIEST_AUDITCTL}")
    return found[1]


def machine_name(text: str) -> str:
    """The name of a machine as `uname -m` says it, in any case; as distributions call it will do (amd64, arm64).

    Machines that auditctl does not know are machines, too: there every arch and -S fails. Raises UserError.
    """
    word = text.lower()
    names: list[str] = []
    for row in rows("machines.tsv"):
        aliases = [alias.partition(":")[0] for alias in row[1].split() if alias != "-"]
        if word in (row[0], *aliases):
            return row[0]
        names += [row[0], *aliases]
    others = [row[0] for row in rows("machines-kernel-only.tsv") if row[0] not in names]
    if word in others:
        return word
    usual = {row[0]: row[1] for row in rows("arch-machines.tsv")}
    for row in rows("arch-names.tsv"):
        if row[0] == word and row[1] in usual:
            return usual[row[1]]
    raise UserError(f"--machine {text}: unknown machine{_nearest(word, names + others)}")


def machine_and_arch(machine: str | None, arch: str | None) -> tuple[str | None, str | None]:
    """Each fills in the other (`rulesets/arch-machines.tsv`): an ARCH stands for its usual machine. The name of a
    machine stands for its ARCH.

    Raises UserError when one is not known, or when they contradict.
    """
    machines = {row[0]: [row[1], *(row[2].split() if len(row) > 2 else ())] for row in rows("arch-machines.tsv")}
    if arch is not None and arch not in machines:  # as distributions and uname call it: aarch64, amd64
        arch = next((row[1] for row in rows("arch-names.tsv") if row[0] == arch.lower()), arch)
    if arch is None:
        # The ARCH that usually means the machine, else one that can mean it.
        fitting = [each for each, names in machines.items() if machine in names]
        fitting.sort(key=lambda each: machines[each][0] != machine)
        return machine, fitting[0] if fitting else None
    names = machines.get(arch)
    if names is None:
        known = sorted({row[1] for row in rows("arch-names.tsv")} | machines.keys())
        if arch not in known:
            raise UserError(f"--arch {arch}: not an ARCH of the kernel{_nearest(arch, known)}")
        return machine, arch
    if machine is not None and machine not in names:
        raise UserError(f"--machine {machine} and --arch {arch} contradict: {arch} is {' or '.join(names)}")
    return machine or names[0], arch


def _nearest(word: str, known: Sequence[str]) -> str:
    return did_you_mean(word, known, f"; known are {', '.join(known)}")
