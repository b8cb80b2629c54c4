"""Names that are nearly others."""

from __future__ import annotations


def one_slip(given: str, wanted: str) -> bool:
    """Is one word the other with two neighbours swapped, one letter more, fewer or other?"""
    if given == wanted:
        return False
    short, long = sorted((given, wanted), key=len)
    if len(long) - len(short) > 1:
        return False
    first = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[first:] == long[first + 1 :]
    if short[first + 1 :] == long[first + 1 :]:
        return True
    return short[first : first + 2] == long[first : first + 2][::-1] and short[first + 2 :] == long[first + 2 :]
