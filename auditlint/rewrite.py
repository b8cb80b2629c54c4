"""Write a file anew without ever leaving half of it: same mode, owner and links, or nothing at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from auditlint.errors import UserError
from auditlint.interrupts import held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def rewrite(path: str, before: bytes, after: bytes) -> None:
    """Replace the bytes of a regular file atomically; see `rewrite_all`."""
    rewrite_all([(path, before, after)], [path])


def rewrite_all(changes: Sequence[tuple[str, bytes, bytes]], together: Sequence[str]) -> None:
    """Replace the bytes of regular files, each atomically: path, what was read, what it becomes. All new files lie
    ready before the first one takes its place, so that what stops one of them stops all.

    `together` are all paths that were judged as one: none may be a second name of a file that changes. When a file
    holds something else than was read, nothing is written. A symbolic link keeps pointing where it points. Raises
    UserError with one line when it cannot be done; the files are then as they were.
    """
    with held():  # Ctrl-C waits, so that files that belong together change together
        _rewrite_all(changes, together)


def _rewrite_all(changes: Sequence[tuple[str, bytes, bytes]], together: Sequence[str]) -> None:
    names: dict[str, list[str]] = {}
    for path in dict.fromkeys(together):
        names.setdefault(os.path.realpath(path), []).append(path)
    ready: list[tuple[str, str, Path]] = []
    path = ""
    try:
        for path, before, after in changes:
            real = Path(os.path.realpath(path))
            same = names.get(str(real), [])
            if len(same) > 1:
                raise UserError(f"{same[1]}: is the same file as {same[0]}; left as it is")
            ready.append((path, _prepare(path, real, before, after), real))
        while ready:
            path, temporary, real = ready[0]
            os.replace(temporary, real)
            del ready[0]
    except OSError as error:
        raise UserError(f"{path}: cannot be rewritten: {error.strerror}; left as it is") from None
    finally:
        for _, temporary, _ in ready:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _prepare(path: str, real: Path, before: bytes, after: bytes) -> str:
    """Write the new file beside the old one, with its mode, owner and attributes; returns its path."""
    status = real.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: not a regular file, left as it is")
    if status.st_nlink > 1:
        raise UserError(f"{path}: has {status.st_nlink} hard links, a new file would part them; left as it is")
    if real.read_bytes() != before:
        raise UserError(f"{path}: changed while it was read, left as it is")
    handle, temporary = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(after)
            out.flush()
            own = os.fstat(handle)
            if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
                os.fchown(handle, status.st_uid, status.st_gid)
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
            os.fsync(handle)
        for name in os.listxattr(real) if hasattr(os, "listxattr") else ():
            os.setxattr(temporary, name, os.getxattr(real, name))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary
