"""Suppressions: as many steps for a line of a large input as of a small one."""

from __future__ import annotations

import sys

import pytest

from auditlint.core.source import Source
from auditlint.lint.suppressions import read_suppressions


def _steps(data: bytes) -> int:
    """Calls, of Python and of C, that reading the suppressions of a file takes."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    source = Source("a.rules", data)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_suppressions(source)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(
    "piece",
    [b"# auditlint: ignore[AL301] reason\n", b"# auditlint: ignore[AL301] reason\n-w /a\n", b"# auditlint: nothing\n"],
    ids=["stacked", "one each", "wrong"],
)
def test_suppressions_grow_with_their_number(piece: bytes) -> None:
    _steps(piece)  # reads the registry
    assert _steps(piece * 2000) <= 12 * _steps(piece * 200)


def test_blanks_in_a_suppression_comment_are_read_once() -> None:
    # Matched within one call of the pattern, so no step counts it; with a lazy match this takes minutes.
    data = b"# auditlint: ignore[AL301] a" + b" " * 200_000 + b"b\r\r\n-w /a\n"
    (suppression,) = read_suppressions(Source("a.rules", data))
    assert suppression.error is None
    assert suppression.line == 2
