"""Kernel versions as people, files and packages write them."""

from __future__ import annotations

import re

from auditlint.core.frozen import dataclass
from auditlint.core.target import DEFAULT_KERNEL, version

LATEST = "latest"
"""The newest line that is known."""
_FORM = re.compile(r"v?((2\.6\.\d{1,2}|\d{1,4}\.\d{1,4})(?:[.+_-][\w.+~-]*)?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class KernelVersion:
    """`line`: two numbers, three for 2.6, which tables are chosen by. `release`: the whole version without `v`, with
    what a vendor adds (`6.1.0-50-cloud-amd64`)."""

    line: str
    release: str


def parse_kernel_version(text: str) -> KernelVersion | None:
    """`6.1`, `v6.1`, `6.1.192`, `6.1.0-50-cloud-amd64`, `2.6.32.67`, `latest`; None for what is not a version."""
    if text == LATEST:
        return KernelVersion(DEFAULT_KERNEL, DEFAULT_KERNEL)
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    return KernelVersion(".".join(str(number) for number in version(match[2])), match[1])


def line_of_release(release: str) -> str | None:
    """The kernel line of a release; None for what is not a version."""
    parsed = parse_kernel_version(release)
    return None if parsed is None else parsed.line
