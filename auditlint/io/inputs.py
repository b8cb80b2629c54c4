"""Reading what the user names: files, standard input, rules.d directories. Never opens what could block."""

from __future__ import annotations

import os
import stat
import sys

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass, replace
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO, Literal, Protocol, TypeAlias

    from auditlint.auditctl.augenrules import LeftOut

    class ImageReader(Protocol):
        """Reads what lies in an image as inside a chroot (auditlint.io.image)."""

        def inside(self, path: str) -> str | None:
            """The path in the image that a path of this machine means; None when it leads elsewhere."""

        def kind(self, place: str) -> str:
            """`regular`, `directory`, `missing` or what else it is, links followed inside the image."""

        def names(self, place: str) -> tuple[str, ...]:
            """Names in a directory."""

        def host(self, place: str) -> str:
            """Where a place that is there lies on this machine, without a link on the way below the image."""

        def source(self, place: str, shown: str | None = None) -> Source | None:
            """A file, under the name that reports show; None when it is missing. Raises UserError."""

        def rules_directory(self, place: str, auditctl: str, shown: str | None = None) -> Input:
            """The fragments of a directory as augenrules of that release takes them. Raises UserError."""


Kind: TypeAlias = "Literal['rules', 'rules.d', 'config', 'fragment', 'cmdline']"
KINDS: tuple[Kind, ...] = ("rules", "rules.d", "config", "fragment", "cmdline")

LARGEST = 32 << 20
"""More bytes are not read: 100,000 rules have about 10 MiB, the largest kernel configuration under one."""
MOST_LINES = 150_000
"""More lines are not judged: each takes about 2 KiB of memory and 50 microseconds."""
STDIN = "-"
_DEEPEST = 16
_MOST_FILES = 20_000
_MOST_NAMES = 20
_SEARCHED = ("rules", "config", "fragment")
_NOT_ENTERED = frozenset(("site-packages", "node_modules", "__pycache__", "venv"))
"""Folders of programs that a search passes over, besides hidden ones and virtual environments of any name."""


@dataclass(frozen=True, slots=True)
class Input:
    """What is judged together: a file, or a rules.d directory with its fragments in the order they take effect.

    `kind` is a word of KINDS. `left_out` are names of a rules.d directory that augenrules does not read. The last of
    its sources may be the merged file beside it.
    """

    kind: Kind
    path: str
    sources: tuple[Source, ...]
    left_out: tuple[LeftOut, ...] = ()
    note: str = ""
    """One line about what could not be read, for the end of the report."""
    by_content: bool = False
    """A search came upon it, and only its content says what it is: nothing is written to such a file."""
    told: tuple[str | None, str | None] = (None, None)
    """Kernel line and ARCH as the list says that names the sources."""


def read_inputs(
    paths: Sequence[str],
    *,
    auditctl: str,
    kind: Kind | None = None,
    stdin_name: str | None = None,
    search: bool = True,
    image: ImageReader | None = None,
) -> Iterator[Input]:
    """Every input that the words of a command line name, one after the other.

    A directory is a rules.d directory when it holds `*.rules` (or `kind` says so, or `search` is false); else it is
    searched for rule files, configurations and folders called rules.d, by the names of files above all. What lies in
    `image` is read through it, so that no link leads out of it. Raises UserError for what cannot be read or is of no
    known kind.
    """
    if paths.count(STDIN) > 1:
        raise UserError("standard input (-) can be read only once")
    for path in paths:
        if path == STDIN:
            source = read_stdin(stdin_name or STDIN)
            yield _single(source, kind)
        elif image is not None and (place := image.inside(path)) is not None:
            yield from _of_image(image, place, path, paths, auditctl, kind, search)
        elif _stat(path) == "directory":
            for found in sorted(_directory(path, auditctl, kind, search), key=lambda entry: entry.path.split("/")):
                yield _with_installed(found, paths) if found.kind == "rules.d" else found
        else:
            yield _single(read_file(path), kind)


def _of_image(
    image: ImageReader,
    place: str,
    path: str,
    paths: Sequence[str],
    auditctl: str,
    kind: Kind | None,
    search: bool,
) -> Iterator[Input]:
    """What a path that leads into an image names."""

    def read(host: str) -> Source | None:
        inner = image.inside(host)
        try:
            return None if inner is None else image.source(inner, host)
        except UserError:
            return None

    def read_directory(host: str, release: str) -> Input:
        inner = image.inside(host)
        if inner is None:
            raise UserError(f"{host}: lies outside of the image")
        return image.rules_directory(inner, release, host)

    what = image.kind(place)
    if what != "directory":
        source = image.source(place, path)
        if source is None:
            raise UserError(f"{path}: no such file in the image, links followed inside it")
        yield _single(source, kind, read)
    elif kind == "rules.d" or not search or (kind is None and any(n.endswith(".rules") for n in image.names(place))):
        rules = image.rules_directory(place, auditctl, path)
        above = path.rstrip("/").rpartition("/")
        beside = f"{above[0]}{above[1]}audit.rules"
        named = any(os.path.normpath(other) == os.path.normpath(beside) for other in paths if other != STDIN)
        installed = read(beside) if named else None
        yield replace(rules, sources=(*rules.sources, installed)) if installed is not None else rules
    else:
        yield from _found(_searched(image.host(place)), auditctl, kind, read, read_directory)


def _with_installed(found: Input, paths: Sequence[str]) -> Input:
    """With the `audit.rules` beside a rules.d directory, if that is named too: the two are compared."""
    above = found.path.rstrip("/").rpartition("/")
    beside = f"{above[0]}{above[1]}audit.rules"
    if not any(os.path.normpath(path) == os.path.normpath(beside) for path in paths if path != STDIN):
        return found
    return Input(found.kind, found.path, (*found.sources, read_file(beside)), found.left_out)


def _single(source: Source, kind: Kind | None, read: Callable[[str], Source | None] | None = None) -> Input:
    what = kind_of(source, kind)
    if what == "rules":
        check_rule_lines(source)
    if what == "fragment" and names_files(source):
        return listed(source, read)
    return Input(what, source.path, (source,))


def names_files(source: Source) -> bool:
    """Is it a list of configuration files: Yocto's `.scc`, Buildroot's configuration?"""
    return source.path.endswith(".scc") or b"BR2_LINUX_KERNEL_" in source.data


def listed(source: Source, read: Callable[[str], Source | None] | None = None) -> Input:
    """The files that a list of configuration files names, judged together."""
    from auditlint.io.detection import detect
    from auditlint.kconfig.layers import follow, told

    found, missing = follow(source, read or _read_or_none)
    gone = list(dict.fromkeys(place.source.text(place.span) for place in missing))
    names = ", ".join(gone[:_MOST_NAMES]) + (f" and {len(gone) - _MOST_NAMES} more" if len(gone) > _MOST_NAMES else "")
    note = f"ignored, because they do not exist: {names}" if names else ""
    complete = any(detect(each.path, each.data) == "config" for each in found)
    return Input("config" if complete else "fragment", source.path, found or (source,), note=note, told=told(source))


def kind_of(source: Source, kind: Kind | None = None) -> Kind:
    """What a file is: as said, else by name and content. Raises UserError when neither tells."""
    if kind is not None:
        if kind == "rules.d":
            raise UserError(f"{source.path}: not a directory, which --kind rules.d needs")
        return kind
    if source.path.endswith(".rules"):
        return "rules"
    from auditlint.io.detection import detect

    found = detect(source.path, source.data)
    if found is not None:
        return found
    if not source.data.strip():
        return "rules"
    raise UserError(f"{source.path}: neither name nor content shows what it is; use --kind {'|'.join(KINDS)}")


def read_stdin(name: str = STDIN) -> Source:
    """Standard input up to its end. Raises UserError when it is closed or too large."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise UserError("standard input is closed")
    try:
        data = _all_of(stream)
    except OSError as error:
        raise UserError(f"standard input: {error.strerror}") from error
    _check_size(name, len(data))
    return Source(name, data)


def _all_of(stream: BinaryIO) -> bytes:
    """All bytes up to the limit, from a stream that does not wait as well: whoever started us may have made it so."""
    data: bytes | None = stream.read(LARGEST + 1)
    try:
        number = stream.fileno()
        if os.get_blocking(number):
            return data or b""
    except (AttributeError, OSError, ValueError):  # no file behind it, or a system where all streams wait
        return data or b""
    import select

    pieces = [data or b""]
    while data != b"":  # None: nothing there yet
        select.select((number,), (), ())
        data = stream.read(LARGEST + 1 - sum(map(len, pieces)))
        pieces.append(data or b"")
    return b"".join(pieces)


def read_file(path: str) -> Source:
    """A regular file. Raises UserError, one line, for anything else: missing, unreadable, a device, too large."""
    kind = _stat(path)
    if kind != "regular":
        hint = "; use - to read standard input" if kind in ("pipe", "device") else ""
        raise UserError(f"{path}: is a {kind}, not a regular file{hint}")
    try:
        # O_NONBLOCK: the name may have become a pipe since. Windows has no such flag and no such files.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(number, "rb") as stream:
            status = os.fstat(number)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path}: is a {file_kind(status.st_mode)}, not a regular file")
            _check_size(path, status.st_size)
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    _check_size(path, len(data or b""))
    return Source(path, data or b"")


def read_rules_d(path: str, auditctl: str) -> Input:
    """The fragments of a rules.d directory as augenrules of that release takes them.

    Raises UserError when the directory or a file that augenrules would read cannot be read.
    """
    from auditlint.auditctl.augenrules import plan

    names: dict[str, str] = {}
    try:
        with os.scandir(path) as found:
            for entry in found:
                names[entry.name] = _entry_kind(entry.path)
    except OSError as error:
        raise _unreadable(path, error) from error
    chosen = plan(names, auditctl)
    sources = {name: read_file(_join(path, name)) for name in dict.fromkeys(chosen.order)}
    if sum(len(source.data) for source in sources.values()) > LARGEST:
        raise UserError(f"{path}: the files are larger than {LARGEST >> 20} MiB together")
    if sources:
        check_rule_lines(*sources.values())
    return Input("rules.d", path, tuple(sources[name] for name in chosen.order), chosen.left_out)


def _directory(path: str, auditctl: str, kind: Kind | None, search: bool) -> Iterator[Input]:
    try:
        names = os.listdir(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    if kind == "rules.d" or not search or (kind is None and any(name.endswith(".rules") for name in names)):
        yield read_rules_d(path, auditctl)
        return
    yield from _found(_searched(path), auditctl, kind)


def _searched(path: str) -> list[str]:
    """The files that a search of a directory comes upon. Raises UserError for too many."""
    paths = []
    for file in _files_below(path, 0):
        paths.append(file)
        if len(paths) > _MOST_FILES:
            raise UserError(f"{path}: contains more than {_MOST_FILES} files; name the files to read")
    return paths


def _found(
    paths: list[str],
    auditctl: str,
    kind: Kind | None,
    read: Callable[[str], Source | None] | None = None,
    read_directory: Callable[[str, str], Input] | None = None,
) -> Iterator[Input]:
    """What a search came upon: stacks of configuration layers, lists of fragments, then single files and rules.d
    folders. What belongs to one of the former is not judged again alone."""
    from auditlint.io.detection import detect_found

    read = read or _read_or_none
    read_directory = read_directory or read_rules_d

    if kind in (None, "config"):
        from auditlint.kconfig.layers import stacks

        layered, paths = stacks(paths)
        for stack in layered:
            sources = tuple(source for each in stack.paths if (source := read(each)) is not None)
            yield Input("config" if len(sources) > 1 else "fragment", stack.label, sources)
    taken: set[str] = set()
    known: dict[str, Source | None] = {}

    def lists(path: str) -> Source | None:
        if not path.endswith(".scc"):
            return read(path)
        if path not in known:  # lists name each other, over and over
            known[path] = read(path)
        return known[path]

    for each in sorted(paths, key=lambda each: not each.endswith(".scc")):
        source = None if each in taken else read(each)
        if source is None:
            continue
        what = detect_found(each, source.data)
        if what is None or what[0] not in (_SEARCHED if kind is None else (kind,)):
            continue
        folder = each.rpartition("/")[0]
        if what[0] == "rules" and folder.endswith("rules.d") and each.endswith(".rules"):
            entry = read_directory(folder, auditctl)
            taken.update(path for path in paths if path.startswith(folder + "/"))
        else:
            entry = _single(source, what[0], lists)
            entry = entry if what[1] else replace(entry, by_content=True)
        taken.update(listed.path for listed in entry.sources)
        yield entry


def _read_or_none(path: str) -> Source | None:
    """A file that nobody named: one that cannot be read is left out."""
    try:
        return read_file(path)
    except UserError:
        return None


def _files_below(path: str, depth: int) -> Iterator[str]:
    """Regular files below a directory in the order of their names. Links and hidden directories are not entered."""
    try:
        with os.scandir(path) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield _join(path, entry.name)
        elif entry.is_dir(follow_symlinks=False) and depth < _DEEPEST and _entered(entry):
            yield from _files_below(_join(path, entry.name), depth + 1)


def _entered(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _NOT_ENTERED:
        return False
    return not os.path.exists(_join(entry.path, "pyvenv.cfg"))


def _join(path: str, name: str) -> str:
    return f"{path}{name}" if path.endswith("/") else f"{path}/{name}"


def _entry_kind(path: str) -> str:
    """`regular`, `directory`, `missing` (a link to nowhere, or gone meanwhile) or what else it is."""
    try:
        return file_kind(os.stat(path).st_mode)
    except OSError as error:
        import errno

        return "missing" if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR) else "unreadable"


def _stat(path: str) -> str:
    try:
        return file_kind(os.stat(path).st_mode)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def file_kind(mode: int) -> str:
    """What a file is, by the mode of its stat: `regular`, `directory`, `pipe`, `socket` or `device`."""
    for test, name in (
        (stat.S_ISREG, "regular"),
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
    ):
        if test(mode):
            return name
    return "device"


def check_rule_lines(*sources: Source) -> None:
    """Raises UserError when rule files hold more lines together than are judged."""
    if sum(source.data.count(b"\n") for source in sources) > MOST_LINES:
        raise UserError(f"{sources[0].path}: more than {MOST_LINES:,} lines, the limit for rule files")


def _check_size(path: str, size: int) -> None:
    if size > LARGEST:
        raise UserError(f"{path}: larger than {LARGEST >> 20} MiB, the limit for rule files and configurations")


def _unreadable(path: str, error: OSError | ValueError) -> UserError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UserError(f"{path or repr(path)}: {reason}")
