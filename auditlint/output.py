"""Writing to standard output: always UTF-8, whatever the locale says; what is no UTF-8 appears as `\\xff`."""

from __future__ import annotations

import sys

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


def write_records(records: Iterable[dict[str, Any]]) -> None:
    """JSON Lines."""
    import json

    encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
    write_lines(map(encode, records))
