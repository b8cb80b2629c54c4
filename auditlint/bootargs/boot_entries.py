"""Which command line really boots: the entries of the boot loaders of an image, and the files that only feed them.

The order is that of the loaders: unified kernel images, entries of the Boot Loader Specification where the loader
reads them, `linux` lines of grub.cfg, extlinux.conf, the firmware of the Raspberry Pi. `/etc/default/grub`,
`/etc/kernel/cmdline` and their like are inputs: they change nothing until a tool writes them into an entry
(rulesets/boot-files.tsv).
"""

from __future__ import annotations

import re
from itertools import islice

from auditlint.bootargs.command_line import CommandLine, Piece, boot_line, form_of, read_cmdline, shell_piece
from auditlint.core.frozen import dataclass
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Protocol, TypeAlias

    class BootFiles(Protocol):
        """Files of an image by their absolute path in it."""

        def read(self, path: str) -> Source | None:
            """A small text file; None when it is not there or cannot be read."""

        def section(self, path: str, name: str) -> tuple[Source, bool] | None:
            """A section of a PE image, and whether the image holds a kernel; None when it has none of that name."""

        def names(self, path: str) -> Sequence[str]:
            """Names in a directory, sorted; none when it is not there."""


AUDIT_KEYS = ("audit", "audit_backlog_limit", "lsm", "security", "selinux", "apparmor")
"""Parameters that decide what audit does from boot on."""

_ESPS = ("/efi", "/boot/efi", "/boot")
"""Where the EFI system partition or the extended boot partition is mounted."""
_ENTRIES = ("/boot/loader/entries", "/efi/loader/entries", "/boot/efi/loader/entries")
_GRUB = ("/boot/grub2", "/boot/grub")
_EXTLINUX = ("/boot/extlinux/extlinux.conf", "/extlinux/extlinux.conf", "/boot/syslinux/syslinux.cfg")
_FIRMWARE = ("/boot/firmware/cmdline.txt", "/boot/cmdline.txt")
_SCRIPTS = ("/boot/boot.scr.uimg", "/boot/boot.scr", "/boot.scr")
_KERNEL_CMDLINE = ("/etc/kernel/cmdline", "/usr/lib/kernel/cmdline")
_VARIABLE = re.compile(r"(?:^|(?<=[ \t]))(?:\$(\w+)|\$\{(\w+)\})(?=[ \t]|$)")
"""A variable that is a word of its own; one within a word stays unknown."""
_RECOVERY = re.compile(r"recovery|rescue|fallback", re.I)
_SINGLE = re.compile(r"(?:^|\s)(?:single|recovery)(?:\s|$)")
_LONGEST_NAME = 255
_MOST_SET = 4096
"""Assignments of a script that are read; a generated one has a hundred."""
_MOST = 256
"""Entries that are read; a menu has a dozen."""


@dataclass(frozen=True, slots=True)
class BootEntry:
    """One command line that a boot loader can boot. `title` is how the loader shows it, `release` the kernel release
    as far as the entry tells; `recovery`: an entry for repairs, which is meant to differ."""

    line: CommandLine
    title: str
    release: str | None
    recovery: bool = False


@dataclass(frozen=True, slots=True)
class BootArguments:
    """What boots, the default entry first; what only feeds the entries; and remarks about what could not be read."""

    entries: tuple[BootEntry, ...]
    inputs: tuple[CommandLine, ...]
    remarks: tuple[str, ...] = ()
    feeding: tuple[CommandLine, ...] = ()
    """Of the inputs, those that are written into entries of this loader."""

    @property
    def booting(self) -> BootEntry | None:
        return self.entries[0] if self.entries else None


def find_boot_arguments(files: BootFiles) -> BootArguments:
    """The entries of the first loader that has some, and every input."""
    remarks: list[str] = []
    entries: list[BootEntry] = []
    for read in (_unified, _grub_or_specification, _extlinux, _firmware):
        entries = list(islice(read(files), _MOST))
        if entries:
            break
    else:
        script = next((source for path in _SCRIPTS if (source := files.read(path)) is not None), None)
        if script is not None:
            remarks.append(f"{script.path}: a boot script; the command line that it boots is not known")
    inputs = tuple(_inputs(files))
    label = entries[0].line.label if entries else ""
    grub = label.startswith("linux") or (label == "options" and any(files.read(path) for path in _grub_paths(files)))
    feeding = tuple(
        line
        for line in inputs
        if (grub if line.label.startswith("GRUB") else label in ("options", "unified kernel image"))
    )
    return BootArguments(tuple(entries), inputs, tuple(remarks), feeding)


def audit_words(line: CommandLine) -> dict[str, tuple[str | None, ...]]:
    """The parameters of a command line that have to do with audit, with all their values in order."""
    words: dict[str, tuple[str | None, ...]] = {}
    for parameter in line.parameters:
        if parameter.key in AUDIT_KEYS and not parameter.for_init:
            words[parameter.key] = (*words.get(parameter.key, ()), parameter.value)
    return words


def _unified(files: BootFiles) -> Iterator[BootEntry]:
    """Unified kernel images: their own command line, then those of the add-ons, in the order of names."""
    for esp in _ESPS:
        folder = f"{esp}/EFI/Linux"
        names = [name for name in files.names(folder) if name.lower().endswith(".efi")]
        names.sort(key=_natural, reverse=True)
        for name in names:
            section = files.section(f"{folder}/{name}", ".cmdline")
            if section is None or not section[1]:
                continue
            pieces = [_plain_piece(section[0])]
            for addons in (f"{folder}/{name}.extra.d", f"{esp}/loader/addons"):
                for addon in files.names(addons):
                    if addon.lower().endswith(".addon.efi"):
                        more = files.section(f"{addons}/{addon}", ".cmdline")
                        if more is not None and not more[1]:
                            pieces.append(_plain_piece(more[0]))
            release = files.section(f"{folder}/{name}", ".uname")
            yield BootEntry(
                boot_line("unified kernel image", tuple(pieces)),
                name,
                None if release is None else release[0].data.decode("utf-8", "replace").strip("\0\n ") or None,
            )


def _plain_piece(source: Source) -> Piece:
    text = source.data.decode("latin-1")
    return Piece(text, range(len(text)), source)


def _grub_or_specification(files: BootFiles) -> Iterator[BootEntry]:
    """grub.cfg decides: with `blscfg` the entries are in loader/entries, else in its own lines."""
    scripts = [source for path in _grub_paths(files) if (source := files.read(path)) is not None]
    texts = [(source, source.data.decode("latin-1")) for source in scripts]
    variables = _variables(files, texts)
    specified = list(islice((path for folder in _ENTRIES for path in _entry_paths(files, folder)), _MOST))
    reads_entries = not texts or any(re.search(r"^[ \t]*blscfg\b", text, re.M) for _, text in texts)
    if specified and reads_entries:
        wanted = variables.get("saved_entry")
        default = None if wanted is None else wanted[0].text
        default = default or _loader_default(files)
        entries = [entry for path in specified if (entry := _specified(files, path, variables)) is not None]
        entries.sort(key=lambda entry: _natural(entry[1].release or entry[1].title), reverse=True)
        entries.sort(key=lambda entry: entry[1].recovery)
        entries.sort(key=lambda entry: not _fits(entry[0], default))
        yield from (entry for _, entry in entries)
        return
    for source, text in texts:
        own = list(islice(_grub_lines(source, text, variables), _MOST))
        if own:
            yield from _default_first(own, text, variables)
            return
    # No script has an entry of its own: another loader reads these.
    for path in specified:
        entry = _specified(files, path, variables)
        if entry is not None:
            yield entry[1]


def _grub_paths(files: BootFiles) -> Iterator[str]:
    for folder in _GRUB:
        yield f"{folder}/grub.cfg"
    for name in files.names("/boot/efi/EFI"):
        yield f"/boot/efi/EFI/{name}/grub.cfg"


def _entry_paths(files: BootFiles, folder: str) -> Iterator[str]:
    for name in files.names(folder):
        if name.endswith(".conf"):
            yield f"{folder}/{name}"


def _variables(files: BootFiles, scripts: Sequence[tuple[Source, str]]) -> dict[str, tuple[Piece, ...]]:
    """What GRUB's variables stand for: the environment block wins over what grub.cfg sets where it is empty.

    A variable that is set to several values is left out, so that it stays unknown.
    """
    values: dict[str, list[Piece]] = {}
    for source, text in scripts:
        for match in islice(re.finditer(r"^[ \t]*set[ \t]+(\w+)=([^\n]*)", text, re.M), _MOST_SET):
            piece = shell_piece(source, text, match.start(2), match.end(2))
            values.setdefault(match[1], []).append(piece)
    found: dict[str, tuple[Piece, ...]] = {
        name: (pieces[0],)
        for name, pieces in values.items()
        if len({piece.text for piece in pieces}) == 1 and not pieces[0].open
    }
    folders = [*_GRUB, *(f"/boot/efi/EFI/{name}" for name in files.names("/boot/efi/EFI"))]
    environments = [*(f"{folder}/grubenv" for folder in folders), "/boot/photon.cfg"]
    for path in environments:
        source_or_none = files.read(path)
        if source_or_none is None:
            continue
        text = source_or_none.data.decode("latin-1")
        for match in re.finditer(r"^(\w+)=([^\n]*)$", text, re.M):
            start, end = match.span(2)
            found[match[1]] = (Piece(text[start:end], range(start, end), source_or_none),)
    return found


def _specified(files: BootFiles, path: str, variables: Mapping[str, tuple[Piece, ...]]) -> tuple[str, BootEntry] | None:
    """One entry of the Boot Loader Specification: its id and its command line."""
    source = files.read(path)
    if source is None:
        return None
    text = source.data.decode("latin-1")
    keys = {match[1]: match[2].strip() for match in re.finditer(r"^[ \t]*(\w[\w-]*)[ \t]+([^\r\n]+)", text, re.M)}
    pieces: list[Piece] = []
    for match in re.finditer(r"^[ \t]*options[ \t]+([^\r\n]*)", text, re.M):
        start, end = match.span(1)
        pieces += _expanded(source, text, start, end, variables, shell=False)
    if not pieces:
        pieces = list(variables.get("default_kernelopts", ()))
    if not pieces:
        return None
    name = path.rpartition("/")[2].removesuffix(".conf")
    title = keys.get("title", name)
    release = keys.get("version") or _release_of(keys.get("linux", ""))
    recovery = bool(_RECOVERY.search(f"{title} {name}"))
    return name, BootEntry(boot_line("options", tuple(pieces)), title, release, recovery)


def _loader_default(files: BootFiles) -> str | None:
    """The pattern of systemd-boot's `default`."""
    for esp in _ESPS:
        source = files.read(f"{esp}/loader/loader.conf")
        match = None if source is None else re.search(r"^[ \t]*default[ \t]+(\S+)", source.data.decode("latin-1"), re.M)
        if match is not None:
            return match[1].removesuffix(".conf")
    return None


def _fits(name: str, default: str | None) -> bool:
    from fnmatch import fnmatchcase

    return default is not None and fnmatchcase(name, default)


_MENU = re.compile(
    r"^[ \t]*(?:(menuentry|submenu|function)\b([^\n]*)|(\})[ \t]*$|(linux(?:16|efi)?)[ \t]+(\S+)([^\n]*))", re.M
)
_Place: TypeAlias = "tuple[frozenset[str], ...]"
"""The menu and the submenus that an entry is in: of each what `default` may call it, its number, title and ids."""


def _grub_lines(
    source: Source, text: str, variables: Mapping[str, tuple[Piece, ...]]
) -> Iterator[tuple[_Place, BootEntry]]:
    """The `linux` lines of a grub.cfg in file order, each with its place in the menu."""
    places: list[frozenset[str]] = []
    titles: list[str] = []
    counts = [0]
    for match in _MENU.finditer(text):
        word, rest, closed, command, kernel, arguments = match.groups()
        if word is not None:
            if not rest.rstrip().endswith("{"):
                continue
            names = [single or double for single, double in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", rest)]
            places.append(frozenset((str(counts[-1]), *names)) if word != "function" else frozenset())
            titles.append(names[0] if names and word != "function" else "")
            counts[-1] += word != "function"
            counts.append(0)
        elif closed is not None:
            if places:
                places.pop()
                titles.pop()
                counts.pop()
        else:
            start, end = match.span(6)
            pieces = _expanded(source, text, start, end, variables, shell=True)
            if not any(piece.text for piece in pieces):
                pieces = [Piece("", range(start, start), source)]
            title = titles[-1] if titles else ""
            recovery = bool(_RECOVERY.search(title)) or bool(
                re.search(r"(?:^|\s)(?:single|recovery)(?:\s|$)", arguments)
            )
            line = boot_line(command, tuple(pieces), (start, end))
            yield tuple(places), BootEntry(line, title, _release_of(kernel), recovery)


def _default_first(
    entries: list[tuple[_Place, BootEntry]], text: str, variables: Mapping[str, tuple[Piece, ...]]
) -> list[BootEntry]:
    """The entry that boots by default first: what the script sets `default` to, else the first."""
    wanted = next(_defaults(text, variables), "0").split(">")
    chosen = next(
        (
            entry
            for place, entry in entries
            if len(place) >= len(wanted) and all(name in names for name, names in zip(wanted, place, strict=False))
        ),
        entries[0][1],
    )
    return [chosen, *(entry for _, entry in entries if entry is not chosen)]


def _defaults(text: str, variables: Mapping[str, tuple[Piece, ...]]) -> Iterator[str]:
    """The values that a grub.cfg gives `default`, those of variables from the environment block."""
    for match in re.finditer(r"^[ \t]*set[ \t]+default=([^\n]*)", text, re.M):
        value = match[1].strip().strip("\"'")
        variable = re.fullmatch(r"\$\{?(\w+)\}?", value)
        if variable is not None:
            value = "".join(piece.text for piece in variables.get(variable[1], ()))
        if value and "$" not in value:
            yield value


def _expanded(
    source: Source, text: str, start: int, end: int, variables: Mapping[str, tuple[Piece, ...]], shell: bool
) -> list[Piece]:
    """The pieces of a line, variables that are words of their own replaced. GRUB takes one that nothing sets as empty;
    the line stays open all the same: a script that was not read may set it."""

    def plain(first: int, last: int) -> Piece:
        if shell:
            return shell_piece(source, text, first, last)
        piece = Piece(text[first:last], range(first, last), source)
        return Piece(piece.text, piece.offsets, source, "$" in piece.text)

    pieces: list[Piece] = []
    at = start
    for match in _VARIABLE.finditer(text, start, end):
        pieces.append(plain(at, match.start()))
        name = match[1] or match[2]
        value = variables.get(name)
        if value is None and name not in _EMPTY:
            pieces.append(Piece("", range(match.start(), match.start()), source, True))
        pieces += value or ()
        at = match.end()
    pieces.append(plain(at, end))
    return [piece for piece in pieces if piece.text.strip() or piece.open]


_EMPTY = ("tuned_params", "early_initrd", "tuned_initrd", "vt_handoff", "systemd_cmdline")
"""Variables of distributions that are empty unless a file sets them."""


def _release_of(kernel: str) -> str | None:
    """`6.1.0-13-amd64` of `/boot/vmlinuz-6.1.0-13-amd64`, or of the folder it lies in."""
    kernel = kernel[-_LONGEST_NAME:]
    match = re.search(r"(?:vmlinu[xz]|kernel|linux|Image)[-.](\d+\.\d+[\w.+~-]*)$", kernel) or re.search(
        r"/(\d+\.\d+[\w.+~-]*)/(?:linux|vmlinuz)$", kernel
    )
    return match[1] if match else None


def _extlinux(files: BootFiles) -> Iterator[BootEntry]:
    """The `append` lines of an extlinux.conf, the one of the DEFAULT label first."""
    for path in _EXTLINUX:
        source = files.read(path)
        if source is None:
            continue
        text = source.data.decode("latin-1")
        default = re.search(r"^[ \t]*default[ \t]+(\S+)", text, re.M | re.I)
        label, kernel = "", ""
        entries: list[BootEntry] = []
        for match in re.finditer(r"^[ \t]*(label|kernel|linux|append)[ \t]+([^\r\n]*)", text, re.M | re.I):
            word = match[1].lower()
            if word == "label":
                label, kernel = match[2].strip(), ""
            elif word in ("kernel", "linux"):
                kernel = match[2].strip()
            else:
                start, end = match.span(2)
                piece = Piece(text[start:end], range(start, end), source)
                line = boot_line("append", (piece,), (start, end))
                entries.append(BootEntry(line, label, _release_of(kernel), bool(_RECOVERY.search(label))))
                if len(entries) == _MOST:
                    break
        if entries:
            first = default[1] if default is not None else ""
            entries.sort(key=lambda entry: entry.title != first)
            yield from entries
            return


def _firmware(files: BootFiles) -> Iterator[BootEntry]:
    """cmdline.txt of the Raspberry Pi: the mounted boot partition wins over the folder of older releases."""
    for path in _FIRMWARE:
        source = files.read(path)
        lines = () if source is None else read_cmdline(source)
        if lines:
            yield BootEntry(lines[0], path.lstrip("/"), None)
            return


def _inputs(files: BootFiles) -> Iterator[CommandLine]:
    """The command lines that tools write into entries: the last assignment of GRUB's shell files, kernel-install's
    file, the files that mkinitcpio joins."""
    shells = ["/etc/default/grub", *(f"/etc/default/grub.d/{name}" for name in files.names("/etc/default/grub.d"))]
    grub: CommandLine | None = None
    for path in shells:
        source = files.read(path) if path.endswith(("/grub", ".cfg")) else None
        if source is not None and form_of(source.path, source.data.decode("latin-1")) == "grub":
            lines = read_cmdline(source)
            grub = lines[0] if lines else grub
    if grub is not None:
        yield grub
    for path in _KERNEL_CMDLINE:
        source = files.read(path)
        if source is not None:
            yield from read_cmdline(source)[:1]
            break
    pieces = []
    for name in files.names("/etc/cmdline.d"):
        source = files.read(f"/etc/cmdline.d/{name}") if name.endswith(".conf") else None
        for line in () if source is None else read_cmdline(source):
            text = line.source.data.decode("latin-1")
            pieces.append(Piece(text[slice(*line.span)], range(*line.span), line.source))
    if pieces:
        yield boot_line("command line", tuple(pieces))


def _natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts 6.10 after 6.9."""
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.findall(r"\d{1,18}|\D+", text)]
