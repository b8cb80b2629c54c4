"""Archives in the format that Linux unpacks as its first file system ("newc").

Source: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

from __future__ import annotations

import stat
from typing import NamedTuple

DIRECTORY = stat.S_IFDIR
FILE = stat.S_IFREG
LINK = stat.S_IFLNK
DEVICE = stat.S_IFCHR


class Member(NamedTuple):
    """A member of the archive: `mode` with its file type, `content` the bytes of a file or the target of a link,
    `device` major and minor number of a device file, `owner` user and group number."""

    name: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)
    owner: tuple[int, int] = (0, 0)


def archive(members: list[Member]) -> bytes:
    """The archive of the members in their order. The same members give the same bytes: no time, no host identity."""
    out = []
    for number, member in enumerate([*members, Member("TRAILER!!!", 0)], start=1):
        name = member.name.encode() + b"\0"
        links = 2 if stat.S_ISDIR(member.mode) else 1
        fields = (number, member.mode, *member.owner, links, 0, len(member.content), 0, 0, *member.device, len(name), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
        out.append(_padded(head) + _padded(member.content))
    return b"".join(out)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
