"""Numbers as the C library reads them: base detection, trailing junk, saturation, cut to 32 bits."""

from __future__ import annotations

import re
from functools import cache

_SPACE = r"[ \t\n\v\f\r]*"
_NUMBERS = {
    0: r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))",
    10: r"([+-]?)()()([0-9]+)",
    16: r"([+-]?)(?:0[xX])?([0-9a-fA-F]+)()()",
}


@cache
def _pattern(base: int) -> re.Pattern[str]:
    return re.compile(_SPACE + _NUMBERS[base])


def _magnitude(text: str, base: int) -> tuple[bool, int]:
    found = _pattern(base).match(text)
    if found is None:
        return False, 0
    sign, hexadecimal, octal, decimal = found.groups()
    digits, radix = (hexadecimal, 16) if hexadecimal else (octal, 8) if octal else (decimal, 10)
    # more digits than this saturate anyway, and Python is slow (or refuses) to convert very long ones
    digits = digits.lstrip("0")[:40]
    return sign == "-", int(digits, radix) if digits else 0


def strtoul(text: str, bits: int = 64, base: int = 0) -> tuple[int, bool]:
    """Value cut to 32 bits and whether it was out of range (ERANGE), as strtoul where long has `bits` bits."""
    negative, magnitude = _magnitude(text, base)
    if magnitude >> bits:
        return 0xFFFFFFFF, True
    return (-magnitude if negative else magnitude) & 0xFFFFFFFF, False


def strtol(text: str, bits: int = 64, base: int = 0) -> int:
    """Value cut to 32 bits, as strtol where long has `bits` bits; out of range it saturates."""
    negative, magnitude = _magnitude(text, base)
    top = 1 << (bits - 1)
    if negative:
        return -min(magnitude, top) & 0xFFFFFFFF
    return min(magnitude, top - 1) & 0xFFFFFFFF


def as_int(value: int) -> int:
    """A 32-bit value as C int."""
    return value - (1 << 32) if value >> 31 else value
