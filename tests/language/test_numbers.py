"""strtol and strtoul of glibc, cut to 32 bits."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditlint.auditctl.numbers import as_int, strtol, strtoul

TOP = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("010", 8),
        ("0x10", 16),
        ("0XfF", 255),
        ("08", 0),
        ("0x", 0),
        ("0xg", 0),
        ("1000abc", 1000),
        ("1,2", 1),
        (" \t7", 7),
        ("+5", 5),
        ("-1", TOP),
        ("", 0),
        ("x", 0),
        ("4294967296", 0),
        ("0x1FFFFFFFF", TOP),
    ],
)
def test_both_read_alike(text: str, value: int) -> None:
    assert strtol(text) == value
    assert strtoul(text) == (value, False)


def test_saturation() -> None:
    # 2**63 fits unsigned, and its low half is 0; signed it saturates to 2**63-1, whose low half is all ones
    assert strtoul("9223372036854775808") == (0, False)
    assert strtol("9223372036854775808") == TOP
    assert strtoul("18446744073709551616") == (TOP, True)
    assert strtol("-9223372036854775809") == 0
    assert strtoul("-18446744073709551616") == (TOP, True)


def test_a_32_bit_long_saturates_early() -> None:
    assert strtol("2147483648", 32) == 0x7FFFFFFF
    assert strtol("-2147483649", 32) == 0x80000000
    assert strtoul("4294967295", 32) == (TOP, False)
    assert strtoul("4294967296", 32) == (TOP, True)


def test_other_bases() -> None:
    assert strtoul("c000003e", base=16) == (0xC000003E, False)
    assert strtoul("0xc000003e", base=16) == (0xC000003E, False)
    assert strtoul("zz", base=16) == (0, False)
    assert strtol("0010", base=10) == 10


def test_as_int() -> None:
    assert as_int(TOP) == -1
    assert as_int(0x7FFFFFFF) == 0x7FFFFFFF


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.strtol.restype = ctypes.c_long
LIBC.strtoul.restype = ctypes.c_ulong


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_long) != 8, reason="compares with a 64-bit long")
@given(st.text(st.sampled_from("0123456789abfxXz+- \t\n"), max_size=24), st.sampled_from([0, 10, 16]))
def test_like_libc(text: str, base: int) -> None:
    raw = text.encode()
    assert strtol(text, base=base) == LIBC.strtol(raw, None, base) & TOP
    ctypes.set_errno(0)
    expected = LIBC.strtoul(raw, None, base) & TOP
    assert strtoul(text, base=base) == (expected, ctypes.get_errno() != 0)
