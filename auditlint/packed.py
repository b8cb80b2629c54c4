"""Compressed inputs: a configuration as `/proc/config.gz` gives it or as distributions package it."""

from __future__ import annotations

from auditlint.source import Source

MAX_BYTES = 16 << 20
"""No configuration or command line is as large: allmodconfig of Linux 7.3 has about 20,000 lines and 700 KB."""


class UnreadableInput(ValueError):
    """Too large, damaged or of an unknown kind. The text is one line for the user, without the file's name."""


def too_large(size: int) -> UnreadableInput:
    return UnreadableInput(f"more than {MAX_BYTES >> 20} MiB ({size >> 20} MiB); no kernel configuration is that large")


def unpack(source: Source) -> Source:
    """The source itself, or what a gzip, xz or bzip2 stream in it holds; spans then count in the plain text.

    Raises UnreadableInput when the stream is damaged, of a kind that is not read, or above MAX_BYTES (never more than
    that is unpacked).
    """
    data = source.data
    try:
        if data.startswith(b"\x1f\x8b"):
            import zlib

            gz = zlib.decompressobj(31)
            plain, done = gz.decompress(data, MAX_BYTES + 1), gz.eof
        elif data.startswith(b"\xfd7zXZ\0"):
            import lzma

            xz = lzma.LZMADecompressor(memlimit=256 << 20)
            plain, done = xz.decompress(data, MAX_BYTES + 1), xz.eof
        elif data.startswith(b"BZh"):
            import bz2

            bz = bz2.BZ2Decompressor()
            plain, done = bz.decompress(data, MAX_BYTES + 1), bz.eof
        elif data.startswith(b"\x28\xb5\x2f\xfd"):
            raise UnreadableInput("compressed with zstd, which is not read; decompress it first")
        else:
            return source
    except UnreadableInput:
        raise
    except Exception as error:  # zlib.error, LZMAError, OSError: each library has its own
        raise UnreadableInput(f"damaged compressed data ({error})") from error
    if len(plain) > MAX_BYTES:
        raise UnreadableInput(f"unpacks to more than {MAX_BYTES >> 20} MiB; no kernel configuration is that large")
    if not done:
        raise UnreadableInput("damaged compressed data (it ends too early)")
    return Source(source.path, plain)
