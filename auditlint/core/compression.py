"""Compressed inputs: a configuration as `/proc/config.gz` gives it or as distributions package it."""

from __future__ import annotations

from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 16 << 20
"""No configuration or command line is as large: allmodconfig of Linux 7.3 has about 20,000 lines and 700 KB."""


MOST_MEMBERS = 100
"""Compressed pieces one behind the other; programs that compress on several processors make one of each 128 KiB."""


class UnreadableInput(ValueError):
    """Too large, damaged or of an unknown kind. The text is one line for the user, without the file's name."""


def too_large(size: int) -> UnreadableInput:
    return UnreadableInput(f"larger than {MAX_BYTES >> 20} MiB ({size >> 20} MiB), the limit for configurations")


def is_packed(data: bytes) -> bool:
    """Does it start like a gzip, xz, bzip2 or zstd stream?"""
    return data.startswith((b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh", b"\x28\xb5\x2f\xfd"))


def head(data: bytes, size: int) -> bytes:
    """The first bytes that a stream holds; empty when it is damaged."""
    try:
        return _plain(data[: size + 1024], size)[0]
    except Exception:  # zlib.error, LZMAError, OSError: each library has its own
        return b""


def unpack(source: Source) -> Source:
    """The source itself, or what a gzip, xz or bzip2 stream in it holds; spans then count in the plain text.

    Raises UnreadableInput when the stream is damaged, of a kind that is not read, or above MAX_BYTES (never more than
    that is unpacked).
    """
    data = source.data
    if not is_packed(data):
        return source
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        raise UnreadableInput("compressed with zstd, which auditlint does not read; decompress it first")
    try:
        plain, done = _plain(data, MAX_BYTES + 1)
    except Exception as error:  # zlib.error, LZMAError, OSError: each library has its own
        raise UnreadableInput(f"damaged compressed data ({error})") from error
    if len(plain) > MAX_BYTES:
        raise UnreadableInput(f"decompresses to more than {MAX_BYTES >> 20} MiB, the limit for configurations")
    if not done:
        raise UnreadableInput("damaged compressed data (unexpected end)")
    return Source(source.path, plain)


def _plain(data: bytes, size: int) -> tuple[bytes, bool]:
    """At most so many bytes of what a stream holds, and whether that is all."""
    pieces: list[bytes] = []
    left, done = size, True
    while data and left > 0:  # members or streams one behind the other are one text, as for gzip, bzip2 and xz
        if pieces and not is_packed(data):
            break  # padding
        if len(pieces) == MOST_MEMBERS:
            return b"".join(pieces), False
        stream = _stream(data)
        piece = stream.decompress(data, left)
        pieces.append(piece)
        left -= len(piece)
        done = stream.eof
        if not done:
            break
        data = stream.unused_data.lstrip(b"\0")
    return b"".join(pieces), done


def _stream(data: bytes) -> Any:
    if data.startswith(b"\x1f\x8b"):
        import zlib

        return zlib.decompressobj(31)
    if data.startswith(b"BZh"):
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor(memlimit=256 << 20)
