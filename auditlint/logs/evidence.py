"""What the start of a log tells about the host: kernel, audit user space, security module, machine."""

from __future__ import annotations

import re

from auditlint.core.frozen import dataclass

_DAEMON = re.compile(rb"type=DAEMON_START [^\n]*? ver=(\d+(?:\.\d+){1,2})[^\n]*? kernel=(\d+\.\d+)")
_ARCH = re.compile(rb"type=SYSCALL [^\n]*? arch=([0-9a-f]{1,8}) ")
_SUBJECT = re.compile(rb"type=SYSCALL [^\n]*? exe=(?:\"[^\"]*\"|\S+)( subj=([^\s\x1d]*))? key=")


@dataclass(frozen=True, slots=True)
class Evidence:
    """None for what the text does not tell. `arch` is an AUDIT_ARCH number, `lsm` a word of the facts."""

    kernel: str | None = None
    auditctl: str | None = None
    arch: int | None = None
    lsm: str | None = None


def evidence(text: bytes) -> Evidence:
    """Evidence in the start of a log."""
    daemon = _DAEMON.search(text)
    machines = [int(word, 16) for word in _ARCH.findall(text)]
    wide = [arch for arch in machines if arch & 0x80000000] or machines
    subject = _SUBJECT.search(text)
    lsm = None
    if subject is not None:
        label = subject[2]
        lsm = "none" if label is None else "selinux" if label.count(b":") >= 3 else "apparmor"
    return Evidence(
        daemon[2].decode() if daemon else None,
        daemon[1].decode() if daemon else None,
        wide[0] if wide else None,
        lsm,
    )
