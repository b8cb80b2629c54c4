"""Pieces: the 6143-byte buffer, NUL, line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditlint.auditctl.lines import BUFFER, pieces, readable_end


def cut(data: bytes) -> list[tuple[int, int, bytes]]:
    return [(number, part, data[start:end]) for number, part, start, end in pieces(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [(1, 0, b"")]),
        (b"a", [(1, 0, b"a")]),
        (b"a\n", [(1, 0, b"a")]),
        (b"a\r\n\nb", [(1, 0, b"a\r"), (2, 0, b""), (3, 0, b"b")]),
    ],
)
def test_lines_end_with_lf_only(data: bytes, expected: list[tuple[int, int, bytes]]) -> None:
    assert cut(data) == expected


def test_a_line_of_the_buffer_is_one_piece_only_at_the_end_of_the_file() -> None:
    full = b"x" * BUFFER
    assert cut(full) == [(1, 0, full)]
    # the LF does not fit any more: fgets gives it as a line of its own
    assert cut(full + b"\n") == [(1, 0, full), (1, 1, b"")]
    assert cut(full[1:] + b"\n") == [(1, 0, full[1:])]


def test_long_lines_are_cut_again_and_again() -> None:
    data = b"x" * (2 * BUFFER) + b"yz\n-D"
    assert [(number, part, len(text)) for number, part, text in cut(data)] == [
        (1, 0, BUFFER),
        (1, 1, BUFFER),
        (1, 2, 2),
        (2, 0, 2),
    ]


def test_nul_ends_what_is_read() -> None:
    data = b"-D\0 -k x\n-l"
    assert readable_end(data, 0, 8) == 2
    assert readable_end(data, 9, 11) == 11


@given(st.lists(st.sampled_from([b"\n", b"x" * 6142, b"-D", b"\0", b"y" * 6143, b" "]), max_size=12))
def test_pieces_and_line_ends_are_the_whole(parts: list[bytes]) -> None:
    data = b"".join(parts)
    found = list(pieces(data))
    at = 0
    for number, part, start, end in found:
        assert data[at:start] == (b"\n" if number > 1 and part == 0 else b"")
        assert number == data.count(b"\n", 0, start) + 1
        assert end - start <= BUFFER
        at = end
    assert data[at:] in (b"", b"\n")
