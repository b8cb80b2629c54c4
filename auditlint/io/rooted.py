"""Opens every path of an image as inside a chroot.

A path is walked component by component. Each directory is opened relative to the one above it and never through a
link; a link is read and its text is walked from the root of the image, or from the directory that holds it. `..` goes
back to a directory that is already open, and the root is its own parent. So no link, absolute or climbing, and no
rename while the walk is under way can lead out of the image. What is read is checked on the descriptor that is read:
a regular file of bounded size, never a device, a FIFO, a socket or a file below /proc, /sys or /dev.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from auditlint.core.errors import UserError
from auditlint.io.inputs import file_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

LINKS_MAX = 40
"""Links that one look-up follows (MAXSYMLINKS, include/linux/namei.h)."""
COMPONENTS_MAX = 512
"""Components that one look-up walks, those of link texts included."""
NAMES_MAX = 20_000
"""Names of one directory that are read."""
LARGEST = 32 << 20
"""Bytes of a file, where the reader does not say otherwise."""
_DIRECTORIES_MAX = 128
"""Directory descriptors that are kept open for the next look-up."""
_PSEUDO = ("/proc", "/sys", "/dev")
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Refused(Exception):
    """A path of an image that is there and is not read. `reason` completes "PATH: "."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class RootedFile:
    """An open regular file of an image. `path` is where it lies, all links followed; `size` is in bytes."""

    def __init__(self, path: str, descriptor: int, size: int) -> None:
        self.path = path
        self.size = size
        self._descriptor = descriptor

    def read(self, start: int = 0, length: int | None = None) -> bytes:
        """Bytes from `start` on, fewer at the end of the file. Raises OSError."""
        left = max(0, (self.size if length is None else min(self.size, start + length)) - start)
        pieces = []
        while left > 0:
            piece = os.pread(self._descriptor, min(left, 1 << 20), start)
            if not piece:
                break
            pieces.append(piece)
            start += len(piece)
            left -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> RootedFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class RootedTree:
    """The tree below a directory. Paths are absolute paths of the image; `host` is the directory on this machine.

    Raises UserError when it is no directory, or when this system cannot open relative to a directory.
    """

    def __init__(self, host: str) -> None:
        if os.open not in os.supports_dir_fd or os.readlink not in os.supports_dir_fd:
            raise UserError("--root needs a system that opens files relative to a directory (openat)")
        self.host = host.rstrip("/") or "/"
        try:
            # The directory that the user names may be a link; only what is in it may not lead out.
            root = os.open(host, os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError) as error:
            why = "not a directory" if isinstance(error, NotADirectoryError) else _reason(error)
            raise UserError(f"{host}: {why} (--root)") from None
        self._open: dict[str, int] = {"/": root}
        self._kinds: dict[str, str | None] = {}

    def __del__(self) -> None:
        for descriptor in getattr(self, "_open", {}).values():
            with suppress(OSError):
                os.close(descriptor)

    def label(self, path: str) -> str:
        """How a path of the image is shown: below the directory as the user named it."""
        return ("" if self.host == "/" else self.host) + path

    # Look-ups without following the last link: what facts about paths are made of.

    def status(self, path: str) -> os.stat_result | None:
        """Status of a path that has no link before its last component; None when it is not there.

        Raises PermissionError where this user may not look.
        """
        above, _, name = path.rstrip("/").rpartition("/")
        try:
            if not name:
                return os.stat(self._open["/"])
            return os.stat(name, dir_fd=self._directory(above or "/"), follow_symlinks=False)
        except PermissionError:
            raise
        except (OSError, ValueError):
            return None

    def link(self, path: str) -> str | None:
        """Text of a symbolic link that has no link before it; None for anything else."""
        above, _, name = path.rstrip("/").rpartition("/")
        try:
            return os.readlink(name, dir_fd=self._directory(above or "/")) or None
        except (OSError, ValueError):
            return None

    # Look-ups that follow links inside the image.

    def resolve(self, path: str) -> str | None:
        """Where a look-up ends, all links followed inside the image; None when it ends nowhere."""
        try:
            return self._walk(path)
        except (OSError, ValueError):
            return None

    def kind(self, path: str) -> str:
        """`regular`, `directory`, `pipe`, `socket`, `device` or `missing`, links followed inside the image.

        `unreadable` where this user may not look.
        """
        try:
            place = self._walk(path)
            status = self.status(place)
        except PermissionError:
            return "unreadable"
        except (OSError, ValueError):
            return "missing"
        if status is None:
            return "missing"
        return file_kind(status.st_mode)

    def exists(self, path: str) -> bool:
        return self.resolve(path) is not None

    def names(self, path: str) -> tuple[str, ...]:
        """Sorted names of a directory; none where there is no directory. Raises Refused above NAMES_MAX, and where this
        user may not look."""
        names: list[str] = []
        try:
            place = self._walk(path)
            if _pseudo(place):
                return ()
            descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._directory(place))
            try:
                with os.scandir(descriptor) as entries:
                    for entry in entries:
                        names.append(entry.name)
                        if len(names) > NAMES_MAX:
                            raise Refused(self.label(path), f"holds more than {NAMES_MAX:,} names")
            finally:
                os.close(descriptor)
        except PermissionError as error:
            raise Refused(self.label(path), _reason(error)) from None
        except (OSError, ValueError):
            return ()
        return tuple(sorted(names))

    def open(self, path: str) -> RootedFile | None:
        """A regular file, links followed inside the image; None when nothing is there.

        Raises Refused for what is there and is no regular file, lies below /proc, /sys or /dev, or cannot be opened.
        """
        try:
            place = self._walk(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            if isinstance(error, NotADirectoryError):
                return None
            raise Refused(self.label(path), _reason(error)) from None
        if _pseudo(place):
            raise Refused(self.label(path), f"leads to {place}; not read")
        above, _, name = place.rpartition("/")
        try:
            looked = self.status(place)
            if looked is None:
                return None
            if not stat.S_ISREG(looked.st_mode):  # opening a device may do something
                raise Refused(self.label(path), f"{_name(looked.st_mode)}, not a regular file")
            descriptor = os.open(name, _FILE, dir_fd=self._directory(above or "/"))
        except OSError as error:
            raise Refused(self.label(path), _reason(error)) from None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise Refused(self.label(path), f"{_name(status.st_mode)}, not a regular file")
        return RootedFile(place, descriptor, status.st_size)

    def read(self, path: str, most: int = LARGEST) -> bytes | None:
        """All bytes of a regular file; None when nothing is there. Raises Refused as `open` does, and above `most`."""
        file = self.open(path)
        if file is None:
            return None
        with file:
            if file.size > most:
                raise Refused(self.label(path), f"larger than {_size(most)}; not read")
            try:
                return file.read()
            except OSError as error:
                raise Refused(self.label(path), _reason(error)) from None

    def _walk(self, path: str) -> str:
        """The place a look-up ends at. Raises OSError."""
        if "\0" in path:
            raise FileNotFoundError(path)
        todo = [name for name in reversed(path.split("/")) if name not in ("", ".")]
        here: list[str] = []
        links = steps = 0
        while todo:
            steps += 1
            if steps > COMPONENTS_MAX:
                raise OSError(36, "too many path components")
            name = todo.pop()
            if name == "..":
                if here:
                    here.pop()
                continue
            above = "/" + "/".join(here)
            descriptor = self._directory(above)
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > LINKS_MAX:
                    raise OSError(40, "too many levels of symbolic links")
                text = os.readlink(name, dir_fd=descriptor)
                if text.startswith("/"):
                    here = []
                todo += [part for part in reversed(text.split("/")) if part not in ("", ".")]
                continue
            if todo and not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(20, "not a directory")
            here.append(name)
        return "/" + "/".join(here)

    def _directory(self, path: str) -> int:
        """Descriptor of a directory whose path has no link in it; it stays open. Raises OSError."""
        descriptor = self._open.get(path)
        if descriptor is not None:
            return descriptor
        if len(self._open) > _DIRECTORIES_MAX:
            for name in [name for name in self._open if name != "/"]:
                os.close(self._open.pop(name))
        at, parts = self._open["/"], [part for part in path.split("/") if part]
        for count, part in enumerate(parts, 1):
            prefix = "/" + "/".join(parts[:count])
            known = self._open.get(prefix)
            if known is None:
                known = self._open[prefix] = os.open(part, _DIRECTORY, dir_fd=at)
            at = known
        return at


def _pseudo(path: str) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in _PSEUDO)


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def _name(mode: int) -> str:
    return f"a {file_kind(mode)}"


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)) or "cannot be read"
