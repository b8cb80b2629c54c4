"""Audit logs as files: which ones a user means, in which order, and their lines in bounded pieces of memory."""

from __future__ import annotations

import os
import re
import stat
import sys

from auditlint.core.compression import is_packed
from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO

STDIN = "-"
CHUNK = 1 << 20
"""Bytes that are read at once."""
LONGEST = 1 << 20
"""A line above this is not kept in memory."""
HEAD = 1 << 18
PIECE = 64 << 20
"""Bytes of plain logs that are read as one piece, whoever reads it: results do not depend on how many processes share
the pieces."""
_ROTATED = re.compile(r"^(?P<stem>.+?)(?:\.log)?(?:[.-]\d{1,14})?(?:\.(?:gz|xz|bz2|zst))?$")
_TIME = re.compile(rb"audit\((\d{1,12})\.")
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log: its size in bytes as stored, how it is packed ("" for plain), and the start of its plain text.

    `source` names the sequence of rotated logs that it belongs to.
    """

    path: str
    size: int
    packing: str
    head: bytes
    source: str

    @property
    def time(self) -> int:
        """Seconds of the first record in its head; 0 when there is none."""
        match = _TIME.search(self.head)
        return int(match[1]) if match else 0


@dataclass(frozen=True, slots=True)
class Part:
    """A range of bytes of a plain log, or a whole packed one (`end` None)."""

    path: str
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Piece:
    """What is read in one go, in this order."""

    parts: tuple[Part, ...]
    source: str
    size: int


def is_directory(path: str) -> bool:
    if is_url(path):
        system, inner = _fsspec(path)
        return bool(system.isdir(inner))
    return path != STDIN and os.path.isdir(path)


def log_files(paths: Sequence[str]) -> list[LogFile]:
    """The logs that the words name, each sequence of rotated logs in order of time; a directory stands for its
    `audit.log*`. Raises UserError for what cannot be read."""
    files = []
    for path in paths:
        if is_directory(path):
            files += [look_at(name) for name in _in_directory(path)]
        else:
            files.append(look_at(path))
    sources: dict[str, int] = {}
    for file in files:
        sources.setdefault(file.source, len(sources))
    return sorted(files, key=lambda file: (sources[file.source], file.time, file.path))


def _in_directory(path: str) -> list[str]:
    if is_url(path):
        system, inner = _fsspec(path)
        names = sorted(name.rpartition("/")[2] for name in system.ls(inner, detail=False))
    else:
        try:
            names = sorted(os.listdir(path))
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from error
    chosen = [f"{path.rstrip('/')}/{name}" for name in names if name.startswith("audit.log")]
    chosen = [name for name in chosen if not is_directory(name)]
    if not chosen:
        raise UserError(f"{path}: holds no audit.log")
    return chosen


def look_at(path: str) -> LogFile:
    """A log with its head, opened once. Raises UserError, one line, for what is no regular file."""
    try:
        size = _size(path)
        with open_log(path) as stream:
            start = stream.read(64)
            packing = packing_of(start)
            stream.seek(0)
            head = next(_chunks(unpacked(stream, packing, path), HEAD), b"")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    return LogFile(path, size, packing, head, _source(path))


def is_url(path: str) -> bool:
    """Whether a name is that of an object store or another place that fsspec opens."""
    return "://" in path


def open_log(path: str) -> BinaryIO:
    """A log for reading: a file, or what fsspec opens."""
    if not is_url(path):
        return open(path, "rb")
    stream: BinaryIO = _fsspec(path)[0].open(_fsspec(path)[1], "rb")
    return stream


def _fsspec(path: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it. Raises UserError when fsspec or its driver is not installed."""
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise UserError(f"{path}: URLs need fsspec: install linux-auditlint[dask]") from None
    try:
        system, inner = url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise UserError(f"{path}: {error}") from None
    return system, inner


def _size(path: str) -> int:
    if is_url(path):
        system, inner = _fsspec(path)
        return int(system.size(inner) or 0)
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: is not a regular file; use - to read standard input")
    return status.st_size


def packing_of(start: bytes) -> str:
    """How a stream that starts so is packed; "" for plain text."""
    if not is_packed(start):
        return ""
    return next(name for magic, name in _MAGIC if start.startswith(magic))


def _source(path: str) -> str:
    folder, name = os.path.split(path)
    match = _ROTATED.match(name)
    return os.path.join(folder, match["stem"] if match else name)


def unpacked(stream: BinaryIO, packing: str, path: str) -> BinaryIO:
    """The plain text of a stream. Raises UserError for a packing that is not read."""
    if not packing:
        return stream
    if packing == "gzip":
        import gzip

        return gzip.open(stream)  # type: ignore[return-value]
    if packing == "xz":
        import lzma

        return lzma.open(stream)  # type: ignore[return-value]
    if packing == "bzip2":
        import bz2

        return bz2.open(stream)  # type: ignore[return-value]
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise UserError(f"{path}: is packed with zstd, which Python reads from 3.14 on; unpack it first") from None
    return zstd.open(stream)  # type: ignore[no-any-return,unused-ignore]


def pieces(files: Sequence[LogFile], largest: int = PIECE) -> list[Piece]:
    """The work in pieces of about the same size: ranges of large plain logs, several small logs of one sequence."""
    made: list[Piece] = []
    parts: list[Part] = []
    size = 0
    source = ""

    def close() -> None:
        nonlocal parts, size
        if parts:
            made.append(Piece(tuple(parts), source, size))
        parts, size = [], 0

    for file in files:
        if file.source != source:
            close()
            source = file.source
        if file.packing:
            close()
            made.append(Piece((Part(file.path, 0, None),), source, file.size))
            continue
        start = 0
        while start < file.size:
            end = min(file.size, start + largest - size)
            parts.append(Part(file.path, start, end))
            size += end - start
            start = end
            if size >= largest:
                close()
    close()
    return made


def read_piece(piece: Piece, skip: Callable[[str, int], None]) -> Iterator[bytes]:
    """Whole lines of a piece, a chunk at a time. A line belongs to the part that holds its first byte. `skip` hears of
    what is left out and how many bytes that were. Raises UserError when a file cannot be read."""
    for part in piece.parts:
        try:
            with open_log(part.path) as stream:
                if part.end is None:
                    start = stream.read(8)
                    stream.seek(0)
                    yield from _lines(unpacked(stream, packing_of(start), part.path), None, skip)
                    continue
                if part.start:
                    stream.seek(part.start - 1)
                    while True:
                        first = stream.readline(CHUNK)
                        if not first or first.endswith(b"\n"):
                            break
                if stream.tell() < part.end or not part.start:
                    yield from _lines(stream, part.end, skip)
        except UserError:
            raise
        except EOFError:
            skip("packed data that ends too early", 0)
        except OSError as error:
            raise UserError(f"{part.path}: {error.strerror or error}") from error
        except Exception as error:  # zlib.error, LZMAError: each library has its own
            if type(error).__module__ in ("zlib", "lzma", "_lzma", "bz2", "gzip"):
                skip("damaged packed data", 0)
                continue
            raise


def read_stream(stream: BinaryIO, skip: Callable[[str, int], None]) -> Iterator[bytes]:
    """Whole lines of a stream that is read once."""
    yield from _lines(stream, None, skip)


def standard_input() -> BinaryIO:
    """Standard input as bytes, unpacked. Raises UserError when it is closed."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise UserError("standard input is closed")
    return unpacked(stream, packing_of(stream.peek(8)[:8]), STDIN)


def _chunks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    try:
        while data := stream.read(size):
            yield data
    except (OSError, EOFError):
        return
    except Exception as error:  # zlib.error, LZMAError: each library has its own
        if type(error).__module__ not in ("zlib", "lzma", "_lzma"):
            raise


def _lines(stream: BinaryIO, end: int | None, skip: Callable[[str, int], None]) -> Iterator[bytes]:
    """Chunks that end with a line. With `end`, up to the end of the line that begins before that place."""
    rest = b""
    dropped = 0
    at = stream.tell() if end is not None else 0
    while True:
        wanted = CHUNK if end is None else min(CHUNK, end - at)
        data = stream.read(wanted) if wanted > 0 else b""
        at += len(data)
        if not data:
            break
        if dropped:
            cut = data.find(b"\n")
            if cut < 0:
                dropped += len(data)
                continue
            skip("longer than 64 KiB", dropped + cut + 1)
            dropped, data = 0, data[cut + 1 :]
        cut = data.rfind(b"\n")
        if cut < 0:
            rest += data
            if len(rest) > LONGEST:
                dropped, rest = len(rest), b""
            continue
        yield rest + data[: cut + 1] if rest else data[: cut + 1]
        rest = data[cut + 1 :]
    if dropped:
        skip("longer than 64 KiB", dropped)
    if rest:
        if end is not None:
            tail = stream.readline(LONGEST)
            rest += tail
        yield rest
