"""What an input is, when nobody says: by its name first, then by what stands in it."""

from __future__ import annotations

import re

from auditlint.core.compression import head as head_of
from auditlint.core.compression import is_packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Kind: TypeAlias = "Literal['rules', 'config', 'fragment', 'cmdline']"

_LOOK = 1 << 16
"""So many bytes are looked at: a rule file or a configuration shows itself within its first lines."""

_RULE_LINE = re.compile(rb"^ *-{1,2}[A-Za-z]", re.M)
_CONFIG_LINE = re.compile(rb"^[ \t]*(?:# ?)?(?:CONFIG|BR2)_\w+(?:=| is not set)", re.M)
_CMDLINE_NAME = re.compile(
    r"(?:^|/)(?:cmdline(?:\.txt)?|(?:sys|iso|ext)linux\.(?:conf|cfg)|grub\.cfg|etc/default/grub|default/grub\.d/[^/]+"
    r"|loader/entries/[^/]+\.conf|cmdline\.d/[^/]+)$"
)
_CONFIG_NAME = re.compile(
    r"(?:^|/)(?:\.config(?:\..+)?|config(?:\.gz|\.xz)?|[^/]*defconfig[^/]*|CONFIG_\w+|[^/]+\.scc"
    r"|config-\d[^/]*|(?:kernel-?)?config[-.][^/]*)$"
)
_CMDLINE_LINE = re.compile(
    rb"^[ \t]*(?:(?:export[ \t]+)?GRUB_CMDLINE_LINUX\w*\+?=|options[ \t]|append[ \t]|linux(?:16|efi)?[ \t])",
    re.M | re.I,
)
_CMDLINE_WORD = re.compile(
    rb"(?:^|\s)(?:root|console|audit|audit_backlog_limit|init|initrd|BOOT_IMAGE|rootfstype|lsm|security|loglevel)="
    rb"|(?:^|\s)(?:ro|rw|quiet|splash|rootwait)(?:\s|$)"
)


_RULE_ITSELF = re.compile(
    rb"(?:(?:/usr)?(?:/s?bin/)?auditctl +)?"
    rb"-(?:[aA] +[a-z_]+,[a-z_]+(?: |$)|[wW] +/|D$|[befr] +\d|[ci]$"
    rb"|-(?:backlog_wait_time|loginuid-immutable|reset-lost))"
)
_CONFIG_ITSELF = re.compile(rb"(?:CONFIG|BR2)_\w+=")
_OTHER_RULES = re.compile(r"(?:^|/)(?:[^/]*udev[^/]*|polkit[^/]*|snort[^/]*|suricata[^/]*)/")
"""Folders of programs whose files are called `*.rules`, too."""
_FEWEST = 3
"""So many rules, and nothing else, make a file that is not called so a rule file."""


def detect_found(path: str, data: bytes) -> tuple[Kind, bool] | None:
    """The kind of a file that a search came upon, and whether its name says so. None: it is none of ours.

    Stricter than `detect`, for nobody named the file: text that shows rules or settings is not a rule file. Without a
    name that says so, every line that is no comment has to be a rule or a setting; a `*.rules` or a `*defconfig*` of
    something else shows itself by having no such line at all.
    """
    if is_packed(data):
        packed = detect(path, data)
        return None if packed is None else (packed, _CONFIG_NAME.search(path) is not None)
    head = data[:_LOOK]
    if b"\0" in head and not path.endswith(".rules"):
        return None
    lines = [line for line in (raw.strip() for raw in head.split(b"\n")) if line and not line.startswith(b"#")]
    if path.endswith(".rules"):
        ours = not lines or any(line.startswith((b"-", b"auditctl ", b"/")) for line in lines)
        return ("rules", True) if ours and not _OTHER_RULES.search(path) else None
    settings = sum(_CONFIG_ITSELF.match(line) is not None for line in lines)
    named = _CONFIG_NAME.search(path) is not None
    if (
        path.endswith(".scc")
        or (settings == len(lines) and _CONFIG_LINE.search(head))
        or (named and settings * 2 > len(lines))
    ):
        kind = detect(path, data)
        return None if kind is None else (kind, named)
    rules = sum(_RULE_ITSELF.match(line) is not None for line in lines)
    return ("rules", False) if rules == len(lines) >= _FEWEST else None


def detect(path: str, data: bytes) -> Kind | None:
    """The kind of an input, None when neither name nor content tells.

    The name decides for `*.rules`, known configuration names (`.config`, `*defconfig*`, `config-*`, `CONFIG_X`,
    `*.scc`) and known boot loader files; otherwise the lines do. What is compressed counts when it is
    a configuration.
    """
    name = path.rsplit("/", 1)[-1]
    if name.endswith(".rules"):
        return "rules"
    if is_packed(data):
        named = _CONFIG_NAME.search(path) is not None
        data = head_of(data, _LOOK)
        return "config" if named or _CONFIG_LINE.search(data) else None
    head = data[:_LOOK]
    if _CMDLINE_NAME.search(path):
        return "cmdline"
    configs = len(_CONFIG_LINE.findall(head))
    if configs or _CONFIG_NAME.search(path):
        rules = len(_RULE_LINE.findall(head))
        if configs >= rules:
            from auditlint.kconfig.file_forms import form_of, is_partial

            form = form_of(path, head.decode("latin-1"))
            whole = b"CONFIG_NET=" in data or b"CONFIG_NET is not set" in data
            return "fragment" if is_partial(form, path, whole) else "config"
    if _RULE_LINE.search(head):
        return "rules"
    if _CMDLINE_LINE.search(head) or _CMDLINE_WORD.search(head):
        return "cmdline"
    return None
