"""Kernel command lines: where they stand in files, and their words as the kernel splits them.

Nothing is executed: a shell variable or command substitution in `/etc/default/grub` is an unknown part.
"""

from __future__ import annotations

import re

from auditlint.core.compression import UnreadableInput
from auditlint.core.frozen import dataclass
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.core.source import Location, Span

MAX_BYTES = 1 << 20
"""The longest command line that any architecture takes is 4096 bytes; boot loader files are a few kilobytes."""

_SPACE = frozenset(" \t\n\v\f\r\xa0")
"""isspace() of the kernel (lib/ctype.c), on Latin-1."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One word of a command line, split as next_arg() does it (lib/cmdline.c).

    `name` is as written without quotes; `value` is None without an equals sign. The kernel takes `-` and `_` in
    names as the same (parameq()): compare with `key`. `for_init`: stands behind `--`, the kernel does not read it.
    """

    name: str
    value: str | None
    source: Source
    span: Span
    value_span: Span
    for_init: bool = False

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    def location(self, message: str = "") -> Location:
        from auditlint.core.source import Location

        return Location(self.source, self.span, message)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What one boot entry hands to the kernel. `label` says where it stands (`options`, `GRUB_CMDLINE_LINUX and
    GRUB_CMDLINE_LINUX_DEFAULT`). `complete`: nothing more is added by variables or by a boot loader, so that a word
    that is missing here is missing. `span` is the whole text in `source` (of the first piece)."""

    source: Source
    label: str
    parameters: tuple[Parameter, ...]
    span: Span
    complete: bool = True

    def all(self, key: str) -> tuple[Parameter, ...]:
        """The parameters of that name that the kernel reads, in order."""
        return tuple(p for p in self.parameters if p.key == key and not p.for_init)

    def last(self, key: str) -> Parameter | None:
        found = self.all(key)
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Piece:
    """Text (one character a byte) with the offset of each character in its source. `open`: a part is not known."""

    text: str
    offsets: tuple[int, ...] | range
    source: Source
    open: bool = False


def read_cmdline(source: Source) -> tuple[CommandLine, ...]:
    """Every command line that a file holds, of whatever form its name or content says.

    Raises UnreadableInput above MAX_BYTES. A file without any command line gives an empty tuple.
    """
    if len(source.data) > MAX_BYTES:
        raise UnreadableInput(f"more than {MAX_BYTES >> 20} MiB; no boot loader file is that large")
    text = source.data.decode("latin-1")
    form = form_of(source.path, text)
    if form == "grub":
        return _grub_defaults(source, text)
    if form == "grub.cfg":
        return tuple(_lines(source, text, r"^[ \t]*(linux(?:16|efi)?)[ \t]+\S+[ \t]*", shell=True))
    if form == "loader-entry":
        return _loader_entry(source, text)
    if form == "extlinux":
        return tuple(_lines(source, text, r"^[ \t]*((?i:append))[ \t]+(?!-[ \t]*$)", shell=False))
    return _plain(source, text, comments=form == "cmdline.d")


def form_of(path: str, text: str) -> str:
    """`grub` (`/etc/default/grub`), `grub.cfg`, `loader-entry`, `extlinux` (also syslinux, isolinux), `cmdline.d`
    (lines with comments) or `cmdline` (the words alone)."""
    name = path.rsplit("/", 1)[-1].lower()
    if re.search(r"^[ \t]*(?:export[ \t]+)?GRUB_\w+\+?=", text, re.M):
        return "grub"
    if re.search(r"^[ \t]*linux(?:16|efi)?[ \t]+[^\s=]+(?:[ \t]|$)", text, re.M) and (
        name == "grub.cfg" or re.search(r"^[ \t]*(?:menuentry|insmod)\b", text, re.M)
    ):
        return "grub.cfg"
    if re.search(r"^[ \t]*options[ \t]", text, re.M) and re.search(
        r"^[ \t]*(?:title|linux|version|efi)[ \t]", text, re.M
    ):
        return "loader-entry"
    if re.search(r"^[ \t]*(?:label|default|kernel|linux)[ \t]", text, re.M | re.I) and re.search(
        r"^[ \t]*append[ \t]", text, re.M | re.I
    ):
        return "extlinux"
    if name.endswith(".conf"):
        return "loader-entry" if re.search(r"^[ \t]*options[ \t]", text, re.M) else "cmdline.d"
    return "cmdline"


def split(pieces: tuple[Piece, ...]) -> tuple[Parameter, ...]:
    """The words of a command line made of pieces, which are joined by blanks (next_arg(), lib/cmdline.c)."""
    found: list[Parameter] = []
    for_init = False
    for piece in pieces:
        text = piece.text
        at, size = 0, len(text)
        while at < size:
            if text[at] in _SPACE:
                at += 1
                continue
            start, in_quote = at, False
            while at < size and (in_quote or text[at] not in _SPACE):
                if text[at] == '"':
                    in_quote = not in_quote
                at += 1
            parameter = _parameter(piece, start, at, for_init)
            found.append(parameter)
            if parameter.name == "--" and parameter.value is None:
                for_init = True
    return tuple(found)


def _parameter(piece: Piece, start: int, end: int, for_init: bool) -> Parameter:
    text, offsets = piece.text, piece.offsets
    first, last = start, end
    if text[start] == '"':
        first += 1
        if last > first and text[last - 1] == '"':
            last -= 1
    equals = text.find("=", first + 1, last)  # an equals sign in front names nothing
    span = (offsets[start], offsets[end - 1] + 1)
    if equals < 0:
        return Parameter(_utf8(text[first:last]), None, piece.source, span, (span[1], span[1]), for_init)
    value_first = equals + 1
    if text[value_first : value_first + 1] == '"' and value_first < last:
        value_first += 1
        if last > value_first and text[last - 1] == '"':
            last -= 1
    value_span = (
        (offsets[value_first], offsets[last - 1] + 1)
        if value_first < last
        else (offsets[equals] + 1, offsets[equals] + 1)
    )
    return Parameter(_utf8(text[first:equals]), _utf8(text[value_first:last]), piece.source, span, value_span, for_init)


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


def _piece(source: Source, text: str, start: int, end: int) -> Piece:
    return Piece(text[start:end], range(start, end), source)


def _command_line(label: str, pieces: tuple[Piece, ...], span: Span) -> CommandLine:
    return CommandLine(pieces[0].source, label, split(pieces), span, not any(piece.open for piece in pieces))


def _plain(source: Source, text: str, comments: bool) -> tuple[CommandLine, ...]:
    if not text.strip():
        return ()
    if comments:
        pieces = []
        for match in re.finditer(r"^(?![ \t]*#)[^\n]+", text, re.M):
            pieces.append(_piece(source, text, match.start(), match.end()))
        return (_command_line("command line", tuple(pieces), _trimmed(text)),) if pieces else ()
    return (_command_line("command line", (_piece(source, text, 0, len(text)),), _trimmed(text)),)


def _trimmed(text: str) -> Span:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _loader_entry(source: Source, text: str) -> tuple[CommandLine, ...]:
    """Several `options` lines of one entry are joined (Boot Loader Specification)."""
    pieces = []
    for match in re.finditer(r"^[ \t]*options[ \t]+([^\r\n]*)", text, re.M):
        pieces.append(_variables(_piece(source, text, match.start(1), match.end(1))))
    if not pieces:
        return ()
    first = pieces[0].offsets
    span = (first[0], first[-1] + 1) if first else (0, 0)
    return (_command_line("options", tuple(pieces), span),)


def _lines(source: Source, text: str, pattern: str, shell: bool) -> Iterator[CommandLine]:
    for match in re.finditer(pattern, text, re.M):
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        piece = (_shell_words if shell else _piece)(source, text, match.end(), end)
        yield _command_line(match.group(1), (piece,), (match.end(), end))


def _variables(piece: Piece) -> Piece:
    """A piece of a boot loader file, where `$name` stands for something that is not known here."""
    parts = [match.span() for match in re.finditer(r"\$(?:\{\w*\}|\w+)", piece.text)]
    if not parts:
        return piece
    text, at = "", 0
    offsets: list[int] = []
    for start, end in [*parts, (len(piece.text), len(piece.text))]:
        text += piece.text[at:start]
        offsets += piece.offsets[at:start]
        at = end
    return Piece(text, tuple(offsets), piece.source, True)


def boot_line(label: str, pieces: tuple[Piece, ...], span: Span | None = None) -> CommandLine:
    """The command line of a boot entry, put together from pieces of one or more files (at least one piece)."""
    offsets = pieces[0].offsets
    return _command_line(label, pieces, span or ((offsets[0], offsets[-1] + 1) if offsets else (0, 0)))


def shell_piece(source: Source, text: str, start: int, end: int) -> Piece:
    """A part of a line of GRUB's script without its quotes; a variable in it makes the piece open."""
    return _shell_words(source, text, start, end)


# /etc/default/grub: a shell file of assignments. Only quoting, continuation and += are understood; anything that the
# shell would have to look up or run is an unknown part.

_ASSIGN = re.compile(r"^[ \t]*(?:export[ \t]+)?(GRUB_CMDLINE_LINUX(?:_DEFAULT|_RECOVERY)?)(\+?)=", re.M)


def _grub_defaults(source: Source, text: str) -> tuple[CommandLine, ...]:
    values: dict[str, list[Piece]] = {}
    spans: dict[str, Span] = {}
    at = 0
    while (match := _ASSIGN.search(text, at)) is not None:
        name = match.group(1)
        piece, end = _shell_value(source, text, match.end())
        at = max(end, match.end())
        keeps = bool(match.group(2)) or re.search(r"\$\{?" + name + r"\b", text[match.end() : end]) is not None
        values[name] = [*(values.get(name, []) if keeps else []), piece]
        spans[name] = (match.start(1), end)
    base = tuple(values.get("GRUB_CMDLINE_LINUX", ()))
    normal = base + tuple(values.get("GRUB_CMDLINE_LINUX_DEFAULT", ()))
    found = []
    if normal:
        both = [name for name in ("GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT") if name in values]
        found.append(_command_line(" and ".join(both), normal, spans[both[0]]))
    if base and "GRUB_CMDLINE_LINUX_RECOVERY" in values:
        recovery = base + tuple(values["GRUB_CMDLINE_LINUX_RECOVERY"])
        label = "GRUB_CMDLINE_LINUX and GRUB_CMDLINE_LINUX_RECOVERY"
        found.append(_command_line(label, recovery, spans["GRUB_CMDLINE_LINUX_RECOVERY"]))
    return tuple(found)


def _shell_value(source: Source, text: str, at: int) -> tuple[Piece, int]:
    """One word of shell from `at` on, without its quotes, and where it ends. A reference to the variable's own old
    value is left out: the caller keeps that value."""
    out: list[str] = []
    offsets: list[int] = []
    unknown = False
    quote = ""
    size = len(text)
    own = re.compile(r"\$\{?GRUB_CMDLINE_LINUX(?:_DEFAULT|_RECOVERY)?\}?")
    while at < size:
        char = text[at]
        if quote == "'":
            if char == "'":
                quote = ""
            else:
                out.append(char)
                offsets.append(at)
            at += 1
            continue
        if char == "\\" and at + 1 < size:
            following = text[at + 1]
            if following != "\n":
                if quote and following not in '"\\$`':
                    out.append("\\")
                    offsets.append(at)
                out.append(following)
                offsets.append(at + 1)
            at += 2
            continue
        if char == '"':
            quote = "" if quote else '"'
            at += 1
            continue
        if char in "$`":
            at, known = _expansion(text, at, own)
            unknown = unknown or not known
            continue
        if not quote:
            if char == "'":
                quote = "'"
                at += 1
                continue
            if char in " \t\r\n;&|<>()#":
                break
        out.append(char)
        offsets.append(at)
        at += 1
    return Piece("".join(out), tuple(offsets), source, unknown), at


def _expansion(text: str, at: int, own: re.Pattern[str]) -> tuple[int, bool]:
    """Steps over `$name`, `${...}`, `$(...)` or backquotes; False when it stands for something unknown."""
    match = own.match(text, at)
    if match is not None:
        return match.end(), True
    if text[at] == "`":
        end = text.find("`", at + 1)
        return (len(text) if end < 0 else end + 1), False
    opened = text[at + 1 : at + 2]
    if opened in ("(", "{"):
        closing, depth = {"(": ")", "{": "}"}[opened], 0
        for i in range(at + 1, len(text)):
            depth += (text[i] == opened) - (text[i] == closing)
            if depth == 0:
                return i + 1, False
        return len(text), False
    match = re.compile(r"\$(?:\w+|[*@#?$!-])?").match(text, at)
    return (match.end() if match is not None else at + 1), False


def _shell_words(source: Source, text: str, at: int, end: int) -> Piece:
    """The rest of a `linux` line of a grub.cfg: GRUB takes the quotes away and puts words together again."""
    out: list[str] = []
    offsets: list[int] = []
    unknown = False
    while at < end:
        if text[at] in " \t":
            out.append(" ")
            offsets.append(at)
            at += 1
            continue
        if text[at] in "#;":
            break
        piece, after = _shell_value(source, text[:end], at)
        out.extend(piece.text)
        offsets.extend(piece.offsets)
        unknown = unknown or piece.open
        at = max(after, at + 1)
    return Piece("".join(out), tuple(offsets), source, unknown)


def kconfig_string(source: Source, span: Span) -> Piece:
    """The text of a string value in a configuration (`"..."` with backslash escapes), for CONFIG_CMDLINE.

    Without quotes the value is invalid for the configuration program and the piece is empty.
    """
    text = source.data[span[0] : span[1]].decode("latin-1")
    out: list[str] = []
    offsets: list[int] = []
    at = 1
    if not text.startswith('"'):
        return Piece("", (), source)
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        out.append(text[at])
        offsets.append(span[0] + at)
        at += 1
    return Piece("".join(out), tuple(offsets), source)
