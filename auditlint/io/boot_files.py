"""The boot files of an image, for auditlint.bootargs.boot_entries."""

from __future__ import annotations

import struct

from auditlint.core.source import Source
from auditlint.io.rooted import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.io.rooted import RootedFile, RootedTree

TEXT_MAX = 1 << 18
"""Bytes of a text file of a boot loader; a grub.cfg of many kernels has 20 KiB."""
SECTION_MAX = 1 << 16
"""Bytes of a section that is read; a command line has at most 4 KiB."""
_SECTIONS_MAX = 96
"""Sections of a PE file; the loaders of Windows stop there, too."""


class ImageBootFiles:
    """Files are read below the root of an image. `remarks` collects what was refused."""

    def __init__(self, tree: RootedTree) -> None:
        self._tree = tree
        self.remarks: list[str] = []

    def read(self, path: str) -> Source | None:
        try:
            data = self._tree.read(path, TEXT_MAX)
        except Refused as error:
            self._say(error)
            return None
        return None if data is None else Source(self._tree.label(path), data)

    def section(self, path: str, name: str) -> tuple[Source, bool] | None:
        try:
            file = self._tree.open(path)
        except Refused as error:
            self._say(error)
            return None
        if file is None:
            return None
        with file:
            sections = pe_sections(file)
            if name not in sections:
                return None
            start, length = sections[name]
            data = file.read(start, min(length, SECTION_MAX)).partition(b"\0")[0]
        return Source(f"{self._tree.label(path)} ({name})", data), ".linux" in sections

    def names(self, path: str) -> tuple[str, ...]:
        try:
            return self._tree.names(path)
        except Refused as error:
            self._say(error)
            return ()

    def _say(self, error: Refused) -> None:
        text = str(error)
        if text not in self.remarks:
            self.remarks.append(text)


def pe_sections(file: RootedFile) -> dict[str, tuple[int, int]]:
    """Offset and length of the sections of a PE image by name, the first of a name; none for any other file.

    The header begins where the number at 0x3c says; the section table comes after the optional header, 40 bytes a
    section: name, virtual size, virtual address, raw size, raw offset (Microsoft PE format, little-endian).
    """
    head = file.read(0, 64)
    if len(head) < 64 or head[:2] != b"MZ":
        return {}
    (at,) = struct.unpack_from("<I", head, 0x3C)
    header = file.read(at, 24)
    if len(header) < 24 or header[:4] != b"PE\0\0":
        return {}
    count, optional = struct.unpack_from("<H", header, 6)[0], struct.unpack_from("<H", header, 20)[0]
    table = file.read(at + 24 + optional, 40 * min(count, _SECTIONS_MAX))
    sections: dict[str, tuple[int, int]] = {}
    for start in range(0, len(table) - 39, 40):
        name = table[start : start + 8].rstrip(b"\0").decode("latin-1")
        virtual, _, raw, offset = struct.unpack_from("<IIII", table, start + 8)
        sections.setdefault(name, (offset, min(virtual, raw)))
    return sections
