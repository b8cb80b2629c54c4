"""What kind of configuration file this is: by its name, by what stands in it. And the files that a list names."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.source import Source, Span

FORMS = {
    "dotconfig": "complete .config written by the configuration program",
    "defconfig": "minimal configuration of a board or machine; what is not mentioned has its default",
    "config": "configuration without the header of the configuration program",
    "fragment": "fragment merged over another configuration (merge_config.sh, Yocto .cfg, Android vendor .config)",
    "openwrt": "OpenWrt target configuration, layered over the generic one",
    "openwrt-top": "top .config of OpenWrt: CONFIG_KERNEL_NAME becomes CONFIG_NAME of the kernel",
    "one-symbol": "Fedora/ARK/RHEL: one file for one symbol",
    "debian-layer": "layer of Debian's kernel configuration",
    "scc": "Yocto kernel metadata: a list of configuration fragments",
    "buildroot": "configuration of Buildroot, which names the kernel's configuration and fragments",
}
LISTS = frozenset({"scc", "buildroot"})
"""Forms that hold no kernel symbol, only names of files."""
_PARTIAL = frozenset({"fragment", "openwrt", "openwrt-top", "one-symbol", "debian-layer", "scc", "buildroot"})

_OPENWRT_TOP = re.compile(r"^(?:# OpenWrt\b.*|CONFIG_TARGET_[a-z0-9]\w*=|CONFIG_PACKAGE_[a-z0-9][\w.+-]*=)", re.M)
_RESOLVED = re.compile(r"^# Automatically generated (?:file; DO NOT EDIT|make config: don't edit)", re.M)


def form_of(path: str, text: str) -> str:
    """The form of a configuration, a key of FORMS."""
    name = path.rsplit("/", 1)[-1]
    bare = re.sub(r"\.(gz|xz|bz2)$", "", name)
    if bare.endswith(".scc"):
        return "scc"
    if "BR2_" in text and re.search(r"^(?:# )?BR2_\w+[= ]", text, re.M):
        return "buildroot"
    if re.fullmatch(r"CONFIG_[A-Za-z0-9_]+", bare):
        return "one-symbol"
    head = text[:4096]
    if "Kernel Configuration" in head and ("# Linux/" in head or _RESOLVED.search(head)):
        return "dotconfig"
    if "Linux kernel version:" in head or "\nCONFIG_CC_VERSION_TEXT=" in text:
        return "dotconfig"
    if ("CONFIG_TARGET_" in text or "CONFIG_PACKAGE_" in text or "OpenWrt" in head) and _OPENWRT_TOP.search(text):
        return "openwrt-top"
    if re.search(r"(?:^|[-_.])defconfig(?:$|[-_.])", bare):
        return "defconfig"
    if re.search(r"(?:^|/)target/linux/.*/?config-\d", path) or re.fullmatch(r"config-\d+\.\d+", bare):
        return "openwrt"
    if "\n## file: " in text or re.search(r"(?:^|/)debian/config/", path):
        return "debian-layer"
    if re.search(r"\.(cfg|fragment|frag|kcfg|conf)$", bare):
        return "fragment"
    if re.search(
        r"(?:^|/)(?:kernel/configs|arch/[a-z0-9_]+/configs(?:/[^/]+)*|vendor|fragments?)/[^/]*\.config$", path
    ):
        return "fragment"
    return "config"


def is_partial(form: str, path: str, says_net: bool) -> bool:
    """Is what the file does not mention unknown?

    So it is for fragments and layers, and for a file that says nothing of NET, unless its name is that of a complete
    one (`.config`).
    """
    if form in _PARTIAL:
        return True
    return form == "config" and not says_net and path.rsplit("/", 1)[-1] != ".config"


def listed_files(source: Source, form: str) -> tuple[tuple[str, Span], ...]:
    """The file names that a `.scc` file or a Buildroot configuration lists, in order, with their spans.

    Of a `.scc`: `kconf KIND FILE` and `include FILE` (kernel-cache). Of Buildroot: BR2_LINUX_KERNEL_CUSTOM_CONFIG_FILE
    and BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES. Names are as written; variables in them are not replaced.
    """
    found: list[tuple[str, Span]] = []
    if form == "scc":
        for match in re.finditer(rb"^[ \t]*(?:kconf[ \t]+\S+|include)[ \t]+(\S+)", source.data, re.M):
            found.append((source.text(match.span(1)), match.span(1)))
    elif form == "buildroot":
        pattern = rb'^BR2_LINUX_KERNEL_(?:CUSTOM_CONFIG_FILE|CONFIG_FRAGMENT_FILES)="([^"\n]*)"'
        for match in re.finditer(pattern, source.data, re.M):
            for word in re.finditer(rb"\S+", match.group(1)):
                span = (match.start(1) + word.start(), match.start(1) + word.end())
                found.append((source.text(span), span))
    return tuple(found)
