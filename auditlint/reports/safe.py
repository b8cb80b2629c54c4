"""Text that is safe where it goes: what stands in a rule file or a file name is hostile input to a terminal or a CI."""

from __future__ import annotations


def plain(text: str) -> str:
    """Undecodable bytes as `\\xNN`, so that the result can be written as UTF-8; everything else as it is."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """No control characters (of ASCII or Unicode, line and direction marks too) and no undecodable bytes: all become
    escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return {"\t": "\\t", "\r": "\\r", "\n": "\\n"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
