"""Writing: standard output, always UTF-8, whatever the locale says (what is no UTF-8 appears as `\\xff`); reports."""

from __future__ import annotations

import errno
import sys

from auditlint.core.errors import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def write_bytes(data: bytes) -> None:
    """Raw bytes."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_lines(lines: Iterable[str]) -> None:
    """Lines of text, each with its line end."""
    sys.stdout.flush()
    stream = sys.stdout.buffer
    for line in lines:
        stream.write(line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").encode() + b"\n")
    stream.flush()


def write_file(path: str, pieces: Iterable[bytes]) -> None:
    """A report into a file, a device or a pipe that somebody reads. Raises UserError with one line.

    A file is there as a whole or as it was before, however the run ends, with the mode it had. Only what cannot be
    replaced (several names, a folder that takes no new file) is written in its place.
    """
    import os

    try:
        if _replaceable(path):
            _replace(os.path.realpath(path), pieces)
        else:
            # To open a pipe without a reader would wait for ever; O_NONBLOCK makes it an error.
            number = os.open(path, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            os.set_blocking(number, True)
            with open(number, "wb") as file:
                file.writelines(pieces)
    except (OSError, ValueError) as error:
        reason = "a pipe that nobody reads" if getattr(error, "errno", 0) == errno.ENXIO else error
        raise UserError(f"{path}: {getattr(reason, 'strerror', None) or reason}") from None


def _replaceable(path: str) -> bool:
    """Whether a new file may take the place of what is there: a file of one name that is ours, or nothing."""
    import os
    import stat

    try:
        status = os.stat(path)
    except FileNotFoundError:
        return True
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_nlink == 1
        and not os.path.abspath(path).startswith(("/dev/", "/proc/"))  # /dev/stdout: others hold it open
        and os.access(path, os.W_OK)
        and os.access(os.path.dirname(os.path.realpath(path)), os.W_OK)
        and (not hasattr(os, "geteuid") or os.geteuid() in (0, status.st_uid))
    )


def _replace(path: str, pieces: Iterable[bytes]) -> None:
    """Write a second file beside `path`, then give it that name."""
    import os
    import stat
    from contextlib import suppress

    temporary = os.path.join(os.path.dirname(path), f".auditlint.{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb") as file:
            with suppress(FileNotFoundError):
                status = os.stat(path)
                if hasattr(os, "fchown"):
                    os.fchown(file.fileno(), status.st_uid, status.st_gid)
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
            file.writelines(pieces)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def write_records(records: Iterable[dict[str, Any]]) -> None:
    """JSON Lines."""
    import json

    from auditlint.core.escaping import json_safe

    encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
    write_lines(json_safe(encode(record)) for record in records)
