"""Reads a kernel configuration line by line, as the kernel's own reader does (conf_read_simple(),
scripts/kconfig/confdata.c). What it passes over although it looks like a setting is kept as `Ignored`."""

from __future__ import annotations

import re

from auditlint.core.compression import MAX_BYTES, UnreadableInput, too_large, unpack
from auditlint.core.kernel_version import line_of_release
from auditlint.core.target import version
from auditlint.kconfig.file_forms import LISTS, form_of, is_partial
from auditlint.kconfig.model import Assignments, ConfigFile, Ignored
from auditlint.kconfig.near_names import one_slip
from auditlint.kconfig.origin import (
    arch_in_path,
    arch_in_symbols,
    arches_in_symbols,
    header,
    narrow,
    version_in_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.source import Source

MAX_LINES = 400_000
EXACT_SINCE = (6, 8)
"""From this line on `is not set` must end the line and one blank must follow the hash. Before, anything may follow,
and the character after the hash is not looked at. (Kbuild updates for 6.8, 2024-01-16; measured in 6.6 and 6.12.)"""

_NOT_SET = " is not set"
_ODD_NOT_SET = re.compile(r"[ \t]*#[ \t]*(?P<prefix>CONFIG_|config_)(?P<name>\w+)[ \t]+is not set\b", re.A)
_ODD_SETTING = re.compile(
    r"(?P<blank>[ \t]*)(?P<prefix>[A-Za-z]{4,8}_)?(?P<name>[A-Za-z0-9]\w*)"
    r"(?P<gap>[ \t]*)(?P<rest>:?=|[ \t](?:y|m|n|is not set)[ \t]*$)?",
    re.A,
)
_SWITCH = re.compile(r"=[ \t]*[ymn][ \t\r]*$|is not set")
_UTF8_MARK = "\xef\xbb\xbf"
_UTF16_MARKS = ("\xff\xfe", "\xfe\xff")
"""Byte order marks, one character a byte."""


def read_config(source: Source, *, kernel: str | None = None) -> ConfigFile:
    """The settings of one configuration file, of any form in `forms.FORMS`, compressed or not.

    `kernel` is the kernel whose reader is meant (`"6.1"`); without it the file's own version counts, else the newest.
    The sources of all spans are the unpacked text. Raises UnreadableInput for a file that is too large or damaged;
    nothing else in a file is an error: what the reader passes over is in `ignored`.
    """
    if len(source.data) > MAX_BYTES:
        raise too_large(len(source.data))
    source = unpack(source)
    text = source.data.decode("latin-1")  # one character a byte, so that offsets stay
    if text.count("\n") > MAX_LINES:
        raise UnreadableInput(f"more than {MAX_LINES} lines; no kernel configuration has as many")
    form = form_of(source.path, text)
    origin: dict[str, str] = {}
    head = header(text)
    release = head[0] if head else None
    if release:
        origin["version"] = "header comment"
    else:
        release = version_in_path(source.path)
        if release:
            origin["version"] = "file path"
    line = kernel or (line_of_release(release) if release else None)
    exact = line is None or version(line) >= EXACT_SINCE
    prefix = "CONFIG_KERNEL_" if form == "openwrt-top" else "CONFIG_"
    names, numbers, ignored = _scan(source, "" if form in LISTS else text, prefix, exact)
    arch = _arch(source.path, head[1] if head else None, text, origin, form == "openwrt")
    return ConfigFile(
        source,
        form,
        form == "dotconfig",
        Assignments(source, names, numbers, prefix),
        tuple(ignored),
        release,
        arch,
        origin,
        is_partial(form, source.path, "NET" in names),
    )


def holds_settings(file: ConfigFile) -> bool:
    """False for a file of another kind: it has lines, and none of them is or looks like a setting. A list of files
    holds none either."""
    if file.form in LISTS:
        return False
    if file.resolved or len(file.assignments) or not file.ignored:
        return True
    return any(
        line.reason not in ("not-a-setting", "no-prefix")
        or (line.reason == "no-prefix" and _SWITCH.search(line.source.text(line.span)) is not None)
        for line in file.ignored
    )


def _arch(path: str, in_header: str | None, text: str, origin: dict[str, str], layer: bool) -> str | None:
    """The ARCH of header, symbols or path. Of a `layer` of OpenWrt the symbols count only where they are of one
    architecture: the generic layer sets some of several."""
    lines = "\n" + text

    def on(symbol: str) -> bool:
        return f"\nCONFIG_{symbol}=y" in lines

    arch = in_header
    if arch is not None:
        origin["arch"] = "header comment"
    else:
        arch = None if layer and ("/generic/" in path or arches_in_symbols(on) > 1) else arch_in_symbols(on)
        if arch is not None:
            origin["arch"] = "symbols of one architecture"
        else:
            arch = arch_in_path(path)
            if arch is not None:
                origin["arch"] = "file path"
    return narrow(arch, on, "\n# CONFIG_64BIT is not set" in lines) if arch is not None else None


def _scan(source: Source, text: str, prefix: str, exact: bool) -> tuple[list[str], list[int], list[Ignored]]:
    """Names and line numbers of the settings, and the lines that only look like settings."""
    names: list[str] = []
    numbers: list[int] = []
    odd: list[int] = []
    if text.startswith(_UTF16_MARKS):  # every other byte is zero: no line can be read
        return names, numbers, [Ignored(source, 1, source.line_span(1), "utf-16", None, True)]
    width = len(prefix)
    off, off_width = "# " + prefix, width + 2
    careful = "\r" in text or "\0" in text
    blanks = " =" in text or "\t=" in text
    for number, line in enumerate(text.split("\n"), 1):
        if careful:
            line = line.partition("\0")[0].removesuffix("\r")
        if line.startswith(prefix):
            equals = line.find("=")
            if equals < 0:
                odd.append(number)
                continue
            names.append(line[width:equals])
            numbers.append(number)
            if blanks and line[equals - 1] in " \t":
                odd.append(number)
        elif line.startswith(off) and line.endswith(_NOT_SET) and " " not in (name := line[off_width:-11]):
            names.append(name)
            numbers.append(number)
        elif line and not exact and line[0] == "#" and line.startswith(prefix, 2):
            name, _, words = line[off_width:].partition(" ")
            if words.startswith("is not set"):
                names.append(name)
                numbers.append(number)
        elif line and (line[0] != "#" or "onfig_" in line.lower()):
            odd.append(number)
    ignored = [found for number in odd if (found := _judge(source, text, number, prefix, exact)) is not None]
    return names, numbers, ignored


def _judge(source: Source, text: str, number: int, prefix: str, exact: bool) -> Ignored | None:
    """Why the reader passes over a line; None for an ordinary comment."""
    span = source.line_span(number)
    line = text[span[0] : span[1]].removesuffix("\r")

    def found(reason: str, symbol: str | None, warned: bool) -> Ignored:
        return Ignored(source, number, span, reason, symbol, warned)

    if not line.strip(" \t\r"):
        return None
    hash_first = line[0] == "#"
    if number == 1 and line.startswith(_UTF8_MARK):
        rest = _ODD_NOT_SET.match(line, 3) or _ODD_SETTING.match(line, 3)
        return found("byte-order-mark", rest["name"] if rest else None, True)
    match = _ODD_NOT_SET.match(line)
    if match is not None:
        if match["prefix"] == "config_":
            return found("lower-case", match["name"], not hash_first)
        tail = line[match.end() :]
        if line.startswith("# " + match["prefix"]) and line[match.end("name") :].startswith(_NOT_SET):
            return found("not-set-trailing", match["name"], False) if tail else None
        reason = "leading-blank" if not hash_first else "blanks-in-not-set" if line[1:2] in " \t" else "no-blank"
        return found(reason, match["name"], not hash_first)
    if hash_first:
        return None
    match = _ODD_SETTING.match(line)
    if match is None or match["rest"] is None:
        starts = line.startswith("CONFIG_")
        symbol = match["name"] if match is not None else None
        return found("no-value", symbol, exact) if starts else found("not-a-setting", None, True)
    given = match["prefix"]
    symbol = match["name"]
    if given is None and symbol.startswith("CONFIG_"):
        given, symbol = "CONFIG_", symbol[7:]
    if prefix != "CONFIG_" and given == "CONFIG_":
        return None  # a symbol of the front-end, not of the kernel
    if given == "CONFIG_":
        if match["blank"]:
            return found("leading-blank", symbol, True)
        return found("blank-around-equals", symbol, False) if "=" in match["rest"] else found("no-value", symbol, exact)
    if given == "config_":
        return found("lower-case", symbol, True)
    if given is not None and one_slip(given.upper(), "CONFIG_"):
        return found("misspelt-prefix", symbol, True)
    return found("no-prefix", (given or "") + symbol, True)
