"""Which kernel and architecture a configuration is for: from its header comment, its path, its content."""

from __future__ import annotations

import re

from auditlint.core.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = 4096
"""The header is looked for in so many characters."""

_HEADER = re.compile(
    r"^#\s+(?:Linux/(\S+) (\d+\.\d+\S*) Kernel Configuration|Linux kernel version: (\d+\.\d+\S*))", re.M
)
_VERSION = re.compile(r"(?<![\d.])v?([2-9]\.\d{1,2})(?:\.(\d{1,3}|[xy]))?(?:\.[xy])?(?![\d])")
_OWN = re.compile(r"(?:^|/)arch/([a-z0-9_]+)/(?:configs|Kconfig)|(?:^|/)arch/([a-z0-9_]+)/[^/]*$")
_PART = re.compile(r"[a-z0-9]+")


def header(text: str) -> tuple[str, str | None] | None:
    """Version and ARCH of the header comment that the configuration program writes, None without one.

    Before 2.6.36 the header gives no ARCH. (conf_write(), scripts/kconfig/confdata.c.)
    """
    match = _HEADER.search(text, 0, HEAD)
    if match is None:
        return None
    return match.group(2) or match.group(3), match.group(1)


def version_in_path(path: str) -> str | None:
    """The kernel release that the last telling part of a path names (`config-6.6`, `v6.12.y`, `kernel/6.12.x`).

    Only the file name and directories whose number is plainly a kernel's are believed: two numbers joined by a
    dot, with nothing but a letter `v` or a word in front.
    """
    for part in reversed(path.split("/")):
        found = [match for match in _VERSION.finditer(part) if _believable(part, match)]
        if found:
            major_minor, patch = found[-1].group(1), found[-1].group(2)
            return f"{major_minor}.{patch}" if patch and patch.isdigit() else major_minor
    return None


def _believable(part: str, match: re.Match[str]) -> bool:
    before, after = part[: match.start()], part[match.end() :]
    if re.search(r"(gcc|clang|llvm|python|ubuntu|rhel|el|debian|android|fedora|alpine|yocto)[-_]?$", before, re.I):
        return before.lower().endswith(("yocto-", "yocto_"))  # Yocto's kernel cache names branches by kernel line
    major = int(match.group(1).split(".")[0])
    return major < 10 and not after.startswith("%")


def arch_in_path(path: str) -> str | None:
    """The kernel's ARCH for the last word of a path that names a machine, None when no word does."""
    own = _OWN.search(path)
    names = {word: (arch, anywhere == "yes") for word, arch, anywhere in rows("arch-names.tsv")}
    word = (own.group(1) or own.group(2)) if own is not None else ""
    if word in names and word != "x86":  # below arch/x86 the file name tells 64 from 32 bits
        return names[word][0]
    for part in reversed(path.lower().replace("x86_64", "amd64").replace("x86-64", "amd64").split("/")):
        for word in reversed(_PART.findall(part)):
            if word in names and names[word][1]:
                return names[word][0]
    return None


def arch_in_symbols(on: Callable[[str], bool]) -> str | None:
    """The ARCH that symbols set to y give away; `on` tells whether a symbol is set to y."""
    return next((arch for symbol, arch in rows("arch-clues.tsv") if on(symbol)), None)


def arches_in_symbols(on: Callable[[str], bool]) -> int:
    """Of how many directories below arch/ symbols are set to y."""
    return len({family(arch) for symbol, arch in rows("arch-clues.tsv") if on(symbol)})


def family(arch: str) -> str:
    """The directory below arch/ of an ARCH: `x86` of x86_64 and i386."""
    return next((row[2] for row in rows("kconfig/architectures.tsv") if row[0] == arch), arch)


def same_arch(first: str, second: str) -> bool:
    """Can both mean one kernel? `x86` stands for x86_64 and i386."""
    return first == second or (family(first) == family(second) and family(first) in (first, second))


def narrow(arch: str, on: Callable[[str], bool], is_32bit: bool) -> str:
    """`x86` as the 64-bit or the 32-bit kind where the file decides it: with ARCH=x86 the symbol 64BIT is a choice."""
    if arch != "x86":
        return arch
    if on("64BIT") or on("X86_64"):
        return "x86_64"
    return "i386" if is_32bit or on("X86_32") else arch
