"""Write a file anew without ever leaving half of it: same mode, owner and links, or nothing at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from auditlint.errors import UserError


def rewrite(path: str, before: bytes, after: bytes) -> None:
    """Replace the bytes of a regular file atomically.

    `before` is what was read; when the file holds something else by now, nothing is written. A symbolic link keeps
    pointing where it points. Raises UserError with one line when it cannot be done; the file is then as it was.
    """
    real = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        status = real.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path}: not a regular file, left as it is")
        if status.st_nlink > 1:
            raise UserError(f"{path}: has {status.st_nlink} hard links, a new file would part them; left as it is")
        if real.read_bytes() != before:
            raise UserError(f"{path}: changed while it was read, left as it is")
        handle, temporary = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
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
        os.replace(temporary, real)
        temporary = None
    except OSError as error:
        raise UserError(f"{path}: cannot be rewritten: {error.strerror}; left as it is") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
