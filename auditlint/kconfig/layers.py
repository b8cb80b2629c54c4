"""Configurations kept as layers of files: which files make up which kernel, in which order.

Fedora, ARK and RHEL keep one file for each symbol, Debian and OpenWrt one file for each layer. A layer alone says
little; the kernel is built from the stack.
"""

from __future__ import annotations

import re

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.core.kernel_version import line_of_release
from auditlint.core.source import Location
from auditlint.kconfig.file_forms import form_of, listed_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from auditlint.core.source import Source

_HEAD = 1 << 20
DEEPEST = 50
"""Includes within includes; kernel-cache has about six."""
MOST_LOOKS = 10_000
"""Places that are looked at for the files of one list; what would be looked for behind them counts as missing."""
MOST_MISSING = 1000
"""Missing files behind which a list is not read on."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Files that are merged in this order, a later one wins. `label` names the kernel: the folder or the file
    of the last layer, with the kernel line where that one is for several."""

    label: str
    paths: tuple[str, ...]


_SYMBOL = re.compile(r"(?P<root>.*?)(?P<set>[^/]+)/(?P<kind>generic|debug)(?P<sub>(?:/[^/]+)*)/CONFIG_\w+$")
_DEBIAN = re.compile(r"(?P<root>(?:.*/)?debian/config/)(?P<sub>(?:[^/]+/)*)config(?:\.(?P<flavour>[^/]+))?$")
_OPENWRT = re.compile(r"(?P<root>(?:.*/)?target/linux/)(?P<sub>[^/]+(?:/[^/]+)*)/config-(?P<version>\d+\.\d+|default)$")
_SHARED = ("common",)
"""Sets that lie under every other one (ORDER in redhat/configs/priority.*)."""


def stacks(paths: Iterable[str]) -> tuple[list[Stack], list[str]]:
    """The stacks among these paths (with `/`), and the paths that belong to none, in the order given."""
    symbol: dict[str, dict[str, dict[str, list[str]]]] = {}
    debian: dict[str, dict[str, str]] = {}
    openwrt: dict[str, dict[tuple[str, str], str]] = {}
    rest = []
    for path in paths:
        if match := _SYMBOL.match(path):
            folder = symbol.setdefault(match["root"], {}).setdefault(match["set"], {})
            folder.setdefault(match["kind"] + match["sub"], []).append(path)
        elif match := _DEBIAN.match(path):
            debian.setdefault(match["root"], {})[match["sub"] + (match["flavour"] or "")] = path
        elif match := _OPENWRT.match(path):
            openwrt.setdefault(match["root"], {})[(match["version"], match["sub"])] = path
        else:
            rest.append(path)
    found = [stack for root, sets in symbol.items() for stack in _symbol_stacks(root, sets)]
    found += [stack for root, layers in debian.items() for stack in _debian_stacks(root, layers)]
    found += [stack for layers in openwrt.values() for stack in _openwrt_stacks(layers)]
    return found, rest


def _above(folder: str) -> list[str]:
    """`generic/x86/x86_64` as generic, generic/x86, generic/x86/x86_64."""
    parts = folder.split("/")
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def _symbol_stacks(root: str, sets: Mapping[str, Mapping[str, list[str]]]) -> Iterable[Stack]:
    """One stack for each product and each folder that has none below it (an architecture or a variant of one)."""
    products = [name for name in sets if name not in _SHARED and not name.startswith("pending")] or list(sets)
    for product in sorted(products):
        order = [*(name for name in _SHARED if name in sets and name != product), product]
        folders = {folder for name in order for folder in sets[name] if folder.startswith("generic")}
        leaves = [folder for folder in folders if not any(other.startswith(folder + "/") for other in folders)]
        for leaf in sorted(leaves):
            names = [path for name in order for folder in _above(leaf) for path in sorted(sets[name].get(folder, ()))]
            yield Stack(f"{root}{product}/{leaf}", tuple(names))


def _debian_stacks(root: str, layers: Mapping[str, str]) -> Iterable[Stack]:
    """config, then kernelarch-*/config, then ARCH/config, then the flavour or feature set."""
    tops = {sub.split("/")[0] for sub in layers if "/" in sub}
    arches = sorted(top for top in tops if not top.startswith(("kernelarch-", "featureset")))
    base = [layers[""]] if "" in layers else []
    for arch in arches:
        kernel = _KERNELARCH.get(arch, arch)
        under = [*base, *(layers[key] for key in (f"kernelarch-{kernel}/", f"{arch}/") if key in layers)]
        flavours = [key for key in layers if key.startswith(f"{arch}/") and key != f"{arch}/"]
        for flavour in sorted(flavours) or [f"{arch}/"]:
            extra = [layers[flavour]] if flavour in flavours else []
            yield Stack(root + flavour.rstrip("/"), tuple(under + extra))
    if not arches and base:
        yield Stack(root.rstrip("/"), tuple(base))


_KERNELARCH = {
    "amd64": "x86",
    "i386": "x86",
    "armhf": "arm",
    "armel": "arm",
    "mips64el": "mips",
    "mipsel": "mips",
    "ppc64el": "powerpc",
    "ppc64": "powerpc",
    "powerpc": "powerpc",
    "riscv64": "riscv",
    "s390x": "s390",
    "hppa": "parisc",
    "loong64": "loongarch",
}
"""Debian's architecture names and the kernel's (debian/config/defines)."""


def _openwrt_stacks(layers: Mapping[tuple[str, str], str]) -> Iterable[Stack]:
    """generic, then the target, then its subtarget, of one kernel version."""
    versions = sorted({version for version, _ in layers if version != "default"})
    for version in versions:
        generic = layers.get((version, "generic"))
        targets = sorted(sub for each, sub in layers if each in (version, "default") and sub != "generic")
        leaves = [sub for sub in targets if not any(other.startswith(sub + "/") for other in targets)]
        for leaf in dict.fromkeys(leaves):
            names = [
                path
                for folder in _above(leaf)
                if (path := layers.get((version, folder), layers.get(("default", folder)))) is not None
            ]
            label = names[-1] if names[-1].endswith(f"-{version}") else f"{names[-1]} of {version}"
            yield Stack(label, ((generic,) if generic else ()) + tuple(names))
        if not leaves and generic:
            yield Stack(generic, (generic,))


def follow(source: Source, read: Callable[[str], Source | None]) -> tuple[tuple[Source, ...], tuple[Location, ...]]:
    """The fragments that a `.scc` file or a Buildroot configuration lists, in order, and the places that name a file
    which `read` does not find.

    A `.scc` file includes others; a name counts from the folder of the file that names it or from one above it
    (kernel-cache names features from its top). A file is taken once, however often it is named. What lies outside of
    these folders is taken when it holds settings: a list that somebody else wrote makes no other file public.
    """
    fragments: list[Source] = []
    missing: list[Location] = []
    looks = 0

    def look(path: str) -> Source | None:
        nonlocal looks
        looks += 1
        return read(path) if looks <= MOST_LOOKS else None

    _follow(source, 0, look, {source.path}, fragments, missing)
    return tuple(fragments), tuple(missing)


def _follow(
    current: Source,
    depth: int,
    look: Callable[[str], Source | None],
    seen: set[str],
    fragments: list[Source],
    missing: list[Location],
) -> None:
    for name, span in listed_files(current, form_of(current.path, current.data[:_HEAD].decode("latin-1"))):
        if len(missing) == MOST_MISSING:
            return
        found = _find(current.path, name, look) if depth < DEEPEST else None
        if found is not None and _outside(name) and b"CONFIG_" not in found.data:
            found = None
        if found is None:
            missing.append(Location(current, span, f"{name} is not there"))
        elif found.path not in seen:
            seen.add(found.path)
            if found.path.endswith(".scc"):
                _follow(found, depth + 1, look, seen, fragments, missing)  # its fragments come where it is included
            else:
                fragments.append(found)


def told(source: Source) -> tuple[str | None, str | None]:
    """Kernel line and ARCH that a list of files says itself, None for each that it does not.

    Buildroot names its architecture, and the kernel by its version or by the series of its headers; a `.scc` file of
    kernel-cache may define KARCH.
    """
    text = source.data[:_HEAD].decode("latin-1")
    if form_of(source.path, text) == "scc":
        word = re.search(r"^[ \t]*define[ \t]+KARCH[ \t]+(\w+)", text, re.M)
        return None, word and next((row[1] for row in rows("arch-names.tsv") if row[0] == word[1]), None)
    release = re.search(r'^BR2_LINUX_KERNEL_CUSTOM_VERSION_VALUE="v?(\d[^"]*)"', text, re.M)
    headers = re.search(r"^BR2_PACKAGE_HOST_LINUX_HEADERS_CUSTOM_(\d+)_(\d+)=y", text, re.M)
    line = line_of_release(release[1]) if release else f"{headers[1]}.{headers[2]}" if headers else None
    lines = f"\n{text}\n"
    return line, next((arch for symbol, arch in rows("buildroot-arches.tsv") if f"\n{symbol}=y" in lines), None)


def _outside(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/")


def _find(beside: str, name: str, read: Callable[[str], Source | None]) -> Source | None:
    parts = beside.split("/")[:-1]
    for depth in range(len(parts), -1, -1):
        found = read("/".join([*parts[:depth], name]))
        if found is not None:
            return found
    return None
