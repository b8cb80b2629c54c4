"""Write a file anew without ever leaving half of it: same mode, owner and links, or nothing at all.

A file lies where its name leads once, when it is looked at; from then on it is reached through the open descriptor of
its folder, which was opened component by component without following a link. So a link that somebody swaps in
meanwhile changes nothing outside.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from auditlint.core.signals import held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OF_CONTENT = ("security.ima", "security.evm")
"""Attributes that vouch for the bytes; the kernel makes them anew for the new file."""
_NO_ATTRIBUTES = (errno.ENOTSUP, errno.ENOSYS)
_HAS_DIR_FD = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class _Folder:
    """The folder of a file, open; without such descriptors (Windows) names are whole paths."""

    path: str
    descriptor: int | None

    def name(self, last: str) -> str:
        return last if self.descriptor is not None else os.path.join(self.path, last)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A new file that lies beside the one it is to replace, and how that one was when it was read."""

    path: str
    folder: _Folder
    temporary: str
    name: str
    status: os.stat_result


def rewrite(path: str, before: bytes, after: bytes) -> None:
    """Replace the bytes of a regular file atomically; see `rewrite_all`."""
    rewrite_all([(path, before, after)], [path])


def rewrite_all(
    changes: Sequence[tuple[str, bytes, bytes]],
    together: Sequence[str],
    named: Sequence[str] | None = None,
    real: Callable[[str], str] = os.path.realpath,
) -> None:
    """Replace the bytes of regular files, each atomically: path, what was read, what it becomes. All new files lie
    ready, and all old ones are as they were read, before the first one takes its place, so that what stops one of them
    stops all.

    `together` are all paths that were judged as one: none may be a second name of a file that changes. When a file
    holds something else than was read, nothing is written. A symbolic link keeps pointing where it points; it may
    lead to a file in a folder of `named` (files and folders that the user named; None: anywhere), not out of them.
    `real` is where a path leads: no link may be in what it returns. Raises UserError with one line when it cannot be
    done; the line names the files that were written before, if there are any.
    """
    folders = None if named is None else _folders(named, real)
    with held():  # Ctrl-C waits, so that files that belong together change together
        _rewrite_all(changes, together, folders, real)


def _folders(named: Sequence[str], real: Callable[[str], str]) -> tuple[str, ...]:
    """The folders that files may be written in: those that were named, and those that hold a file that was."""
    return tuple(
        dict.fromkeys(real(path) if os.path.isdir(real(path)) else real(os.path.dirname(path) or ".") for path in named)
    )


def _rewrite_all(
    changes: Sequence[tuple[str, bytes, bytes]],
    together: Sequence[str],
    folders: tuple[str, ...] | None,
    real: Callable[[str], str],
) -> None:
    names: dict[str, list[str]] = {}
    for path in dict.fromkeys(together):
        names.setdefault(real(path), []).append(path)
    ready: list[_Ready] = []
    written: list[str] = []
    path = ""
    with contextlib.ExitStack() as opened:
        try:
            for path, before, after in changes:
                place = real(path)
                if folders is not None and not any(_inside(place, folder) for folder in folders):
                    raise UserError(f"{path}: not changed: it leads to {place}, outside of what was named")
                same = names.get(place, [])
                if len(same) > 1:
                    raise UserError(f"{same[1]}: not changed: it is the same file as {same[0]}")
                folder = _open_folder(os.path.dirname(place), opened)
                ready.append(_prepare(path, folder, folder.name(os.path.basename(place)), before, after))
            for each in ready:
                path = each.path
                _still_same(each)
            while ready:
                path = ready[0].path
                _still_same(ready[0])
                at = ready[0].folder.descriptor
                os.replace(ready[0].temporary, ready[0].name, src_dir_fd=at, dst_dir_fd=at)
                written.append(ready.pop(0).path)
        except OSError as error:
            raise UserError(f"{path}: not changed: {error.strerror}{_but(written)}") from None
        except UserError as error:
            raise UserError(f"{error}{_but(written)}") from None
        finally:
            for each in ready:
                with contextlib.suppress(OSError):
                    os.unlink(each.temporary, dir_fd=each.folder.descriptor)


def _inside(path: str, folder: str) -> bool:
    return path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def _open_folder(path: str, opened: contextlib.ExitStack) -> _Folder:
    """The folder, which no link leads to. Raises OSError when a link or a file took the place of a part of it."""
    if not _HAS_DIR_FD:
        return _Folder(path, None)
    at = os.open("/", _FOLDER)
    for part in path.split("/"):
        if part:
            try:
                below = os.open(part, _FOLDER, dir_fd=at)
            finally:
                os.close(at)
            at = below
    opened.callback(os.close, at)
    return _Folder(path, at)


def _but(written: Sequence[str]) -> str:
    return f"; already changed: {', '.join(written)}" if written else ""


def _still_same(each: _Ready) -> None:
    """The old file is the one that was read, untouched since."""
    now, then = os.stat(each.name, dir_fd=each.folder.descriptor, follow_symlinks=False), each.status
    if (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_nlink) != (
        then.st_dev,
        then.st_ino,
        then.st_size,
        then.st_mtime_ns,
        then.st_ctime_ns,
        then.st_nlink,
    ):
        raise UserError(f"{each.path}: not changed: it changed while it was read")


def _prepare(path: str, folder: _Folder, name: str, before: bytes, after: bytes) -> _Ready:
    """Write the new file beside the old one, with its mode, owner and attributes."""
    status = os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: not changed: not a regular file")
    if status.st_nlink > 1:
        raise UserError(f"{path}: not changed: it has {status.st_nlink} hard links, which a new file would separate")
    with open(os.open(name, _READ, dir_fd=folder.descriptor), "rb") as old:
        own = os.fstat(old.fileno())
        if (own.st_dev, own.st_ino) != (status.st_dev, status.st_ino) or old.read() != before:
            raise UserError(f"{path}: not changed: it changed while it was read")
        temporary = folder.name(f".auditlint-{os.urandom(8).hex()}")
        handle = os.open(temporary, _CREATE, 0o600, dir_fd=folder.descriptor)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(after)
                out.flush()
                new = os.fstat(handle)
                if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
                    os.fchown(handle, status.st_uid, status.st_gid)
                os.fchmod(handle, stat.S_IMODE(status.st_mode))
                _copy_attributes(old.fileno(), handle)
                os.fsync(handle)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder.descriptor)
            raise
    return _Ready(path, folder, temporary, name, status)


def _copy_attributes(old: int, new: int) -> None:
    """Labels, access lists and the user's own attributes. One that the new file has already is not set again: that may
    need a right that the owner does not have."""
    if not hasattr(os, "listxattr"):
        return
    for name in _attributes(old):
        if name in _OF_CONTENT:
            continue
        value = os.getxattr(old, name)
        if name not in _attributes(new) or os.getxattr(new, name) != value:
            os.setxattr(new, name, value)


def _attributes(file: int) -> list[str]:
    """The names of the attributes; none where the file system has no such thing."""
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in _NO_ATTRIBUTES:
            return []
        raise
