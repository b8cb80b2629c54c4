"""Write a file anew without ever leaving half of it: same mode, owner and links, or nothing at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from auditlint.core.signals import held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OF_CONTENT = ("security.ima", "security.evm")
"""Attributes that vouch for the bytes; the kernel makes them anew for the new file."""
_NO_ATTRIBUTES = (errno.ENOTSUP, errno.ENOSYS)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A new file that lies beside the one it is to replace, and how that one was when it was read."""

    path: str
    temporary: str
    real: Path
    status: os.stat_result


def rewrite(path: str, before: bytes, after: bytes) -> None:
    """Replace the bytes of a regular file atomically; see `rewrite_all`."""
    rewrite_all([(path, before, after)], [path])


def rewrite_all(changes: Sequence[tuple[str, bytes, bytes]], together: Sequence[str]) -> None:
    """Replace the bytes of regular files, each atomically: path, what was read, what it becomes. All new files lie
    ready, and all old ones are as they were read, before the first one takes its place, so that what stops one of them
    stops all.

    `together` are all paths that were judged as one: none may be a second name of a file that changes. When a file
    holds something else than was read, nothing is written. A symbolic link keeps pointing where it points. Raises
    UserError with one line when it cannot be done; the line names the files that were written before, if there are any.
    """
    with held():  # Ctrl-C waits, so that files that belong together change together
        _rewrite_all(changes, together)


def _rewrite_all(changes: Sequence[tuple[str, bytes, bytes]], together: Sequence[str]) -> None:
    names: dict[str, list[str]] = {}
    for path in dict.fromkeys(together):
        names.setdefault(os.path.realpath(path), []).append(path)
    ready: list[_Ready] = []
    written: list[str] = []
    path = ""
    try:
        for path, before, after in changes:
            real = Path(os.path.realpath(path))
            same = names.get(str(real), [])
            if len(same) > 1:
                raise UserError(f"{same[1]}: not changed: it is the same file as {same[0]}")
            ready.append(_prepare(path, real, before, after))
        for each in ready:
            path = each.path
            _still_same(each)
        while ready:
            path = ready[0].path
            _still_same(ready[0])
            os.replace(ready[0].temporary, ready[0].real)
            written.append(ready.pop(0).path)
    except OSError as error:
        raise UserError(f"{path}: not changed: {error.strerror}{_but(written)}") from None
    except UserError as error:
        raise UserError(f"{error}{_but(written)}") from None
    finally:
        for each in ready:
            with contextlib.suppress(OSError):
                os.unlink(each.temporary)


def _but(written: Sequence[str]) -> str:
    return f"; already changed: {', '.join(written)}" if written else ""


def _still_same(each: _Ready) -> None:
    """The old file is the one that was read, untouched since."""
    now, then = each.real.lstat(), each.status
    if (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_nlink) != (
        then.st_dev,
        then.st_ino,
        then.st_size,
        then.st_mtime_ns,
        then.st_ctime_ns,
        then.st_nlink,
    ):
        raise UserError(f"{each.path}: not changed: it changed while it was read")


def _prepare(path: str, real: Path, before: bytes, after: bytes) -> _Ready:
    """Write the new file beside the old one, with its mode, owner and attributes."""
    status = real.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: not changed: not a regular file")
    if status.st_nlink > 1:
        raise UserError(f"{path}: not changed: it has {status.st_nlink} hard links, which a new file would separate")
    if real.read_bytes() != before:
        raise UserError(f"{path}: not changed: it changed while it was read")
    handle, temporary = tempfile.mkstemp(prefix=".auditlint-", dir=real.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(after)
            out.flush()
            own = os.fstat(handle)
            if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
                os.fchown(handle, status.st_uid, status.st_gid)
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
            _copy_attributes(real, temporary)
            os.fsync(handle)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return _Ready(path, temporary, real, status)


def _copy_attributes(real: Path, temporary: str) -> None:
    """Labels, access lists and the user's own attributes. One that the new file has already is not set again: that may
    need a right that the owner does not have."""
    if not hasattr(os, "listxattr"):
        return
    for name in _attributes(real):
        if name in _OF_CONTENT:
            continue
        value = os.getxattr(real, name)
        if name not in _attributes(temporary) or os.getxattr(temporary, name) != value:
            os.setxattr(temporary, name, value)


def _attributes(path: str | Path) -> list[str]:
    """The names of the attributes; none where the file system has no such thing."""
    try:
        return os.listxattr(path)
    except OSError as error:
        if error.errno in _NO_ATTRIBUTES:
            return []
        raise
