"""AL858: x32 system calls are switched on, and no rule can name them."""

from __future__ import annotations

from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.cmdline import CmdlineSubject

_ON = frozenset({"y", "Y", "1", "on"})


def check(subject: CmdlineSubject) -> Iterator[Hit]:
    if subject.machine not in ("x86_64", "i386", "i686"):
        return
    for line in subject.lines:
        last = line.last("syscall.x32")
        if last is not None and last.value in _ON:
            yield Hit(
                last.location(),
                "x32 system calls are enabled: their numbers have bit 30 set and no bit in any rule, so every exit "
                "rule and watch is blind to them",
            )
