"""Writing to standard output: always UTF-8, whatever the locale says; what is no UTF-8 appears as `\\xff`."""

from __future__ import annotations

import errno
import sys

from auditlint.errors import UserError

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


def write_file(path: str, data: bytes) -> None:
    """A report into a file, a device or a pipe that somebody reads. Raises UserError with one line.

    To open a pipe without a reader would wait for ever; O_NONBLOCK makes it an error.
    """
    import os

    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags, 0o666)
        os.set_blocking(number, True)
        with open(number, "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        reason = "is a pipe that nobody reads" if getattr(error, "errno", 0) == errno.ENXIO else error
        raise UserError(f"{path}: {getattr(reason, 'strerror', None) or reason}") from None


def write_records(records: Iterable[dict[str, Any]]) -> None:
    """JSON Lines."""
    import json

    encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
    write_lines(map(encode, records))
