"""Words, escapes, and what getopt makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditlint.auditctl.lexer import WORD, source_offset, split_words, tokens
from auditlint.auditctl.tables import options

NEWEST = options("4.2")


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("", []),
        ("   ", []),
        ("-a b", [("-a", 0, 2), ("b", 3, 4)]),
        ("  -a   b ", [("-a", 2, 4), ("b", 7, 8)]),
        ("a\tb c\r", [("a\tb", 0, 3), ("c\r", 4, 6)]),
        # a backslash takes the space with it, and the first word keeps the marks of preprocess()
        (r"-k my\ key", [("-k", 0, 2), ("my key", 3, 10)]),
        (r"-k a\\b", [("-k", 0, 2), ("a\\b", 3, 7)]),
        (r"-k a\nb", [("-k", 0, 2), ("a\\nb", 3, 7)]),
        (r"-w/a\ b -p wa", [("-w/a\x07\x07b", 0, 7), ("-p", 8, 10), ("wa", 11, 13)]),
        (r"a\\ b", [("a\x04\x04", 0, 3), ("b", 4, 5)]),
        ("-a \\", [("-a", 0, 2), ("\\", 3, 4)]),
        # such bytes in the input are taken for marks, and the byte behind is lost
        ("x a\x07bc", [("x", 0, 1), ("a c", 2, 6)]),
        ("x a\x04", [("x", 0, 1), ("a\\", 2, 4)]),
    ],
)
def test_words(piece: str, expected: list[tuple[str, int, int]]) -> None:
    assert split_words(piece) == expected


@given(st.text(st.sampled_from(" a-\\\t\x07\x04"), max_size=20))
def test_the_expression_finds_the_same_words(piece: str) -> None:
    spans = [(start, end) for _, start, end in split_words(piece)]
    assert spans == [found.span() for found in WORD.finditer(piece)]
    assert "".join(piece[start:end] for start, end in spans).replace(" ", "") == piece.replace(" ", "")


@given(st.text(st.sampled_from("ab \\\x07"), max_size=12))
def test_offsets_of_escaped_words_stay_inside(raw: str) -> None:
    word = "x " + raw.replace(" ", "\\ ").strip(" ")
    found = split_words(word)
    if len(found) == 2:
        text, start, end = found[1]
        places = [source_offset(word[start:end], at) for at in range(len(text) + 1)]
        assert places == sorted(places)
        assert places[0] == 0
        assert places[-1] == end - start


def test_source_offset_counts_an_escape_as_two_bytes() -> None:
    assert [source_offset(r"path=/a\ b", at) for at in (0, 5, 7, 8, 9)] == [0, 5, 7, 9, 10]


def shape(line: str, release: str = "4.2") -> list[str]:
    """Types of the tokens with their texts: an option is its full name, an argument its value."""
    types, values = tokens(split_words(line), options(release))
    assert types[-1] == "$END"
    assert len(types) == len(values) + 1
    told = []
    for kind, value in zip(types, values, strict=False):
        told.append(f"{kind}:{value[6] if kind == 'TEXT' else value[1]}")
    return told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-w /x", ["WATCH:-w", "TEXT:/x"]),
        ("-w/x -pwa -kk", ["WATCH:-w", "TEXT:/x", "PERM:-p", "TEXT:wa", "KEY:-k", "TEXT:k"]),
        ("-k -F x", ["KEY:-k", "TEXT:-F", "WORD:x"]),
        ("-S -1", ["CALLS:-S", "TEXT:-1"]),
        ("-F", ["WRONG:-F"]),
        ("-Z -w /x", ["WRONG:-Z", "REST:-w", "REST:/x"]),
        ("-: x", ["WRONG:-:", "REST:x"]),
        ("- x", ["WORD:-", "WORD:x"]),
        ("x -e 1 -- -w /x", ["WORD:x", "SET:-e", "TEXT:1", "END:--", "WORD:-w", "WORD:/x"]),
        ("-i -w /x", ["STOP:-i", "REST:-w", "REST:/x"]),
        ("-ix y", ["STOP:-i", "REST:-ix", "REST:y"]),
        ("-b 5 -t y", ["SET:-b", "TEXT:5", "LAST:-t", "REST:y"]),
        ("-m a b", ["MESSAGE:-m", "TEXT:a", "REST:b"]),
        ("-q a,b c", ["EQUIVALENT:-q", "TEXT:a,b", "REST:c"]),
        ("-R a b", ["NESTED:-R", "TEXT:a", "REST:b"]),
        ("--signal TERM x", ["SIGNAL:--signal", "TEXT:TERM", "REST:x"]),
        ("--backlog_wait_time=5 -e 1", ["SET:--backlog_wait_time", "TEXT:5", "SET:-e", "TEXT:1"]),
        ("--back 5", ["SET:--backlog_wait_time", "TEXT:5"]),
        ("--back=", ["SET:--backlog_wait_time", "TEXT:"]),
        ("--backlog_wait_time", ["WRONG:--backlog_wait_time"]),
        ("--login", ["STOP:--loginuid-immutable"]),
        ("--loginuid-immutable=1 x", ["WRONG:--loginuid-immutable", "REST:x"]),
        ("--reset", ["WRONG:--reset"]),
        ("--reset-", ["STOP:--reset-lost"]),
        ("--reset_", ["LAST:--reset_backlog_wait_time_actual"]),
        ("--=5", ["WRONG:--"]),
        ("---", ["WRONG:---"]),
        ("--help", ["STOP:--help"]),
    ],
)
def test_tokens(line: str, expected: list[str]) -> None:
    assert shape(line) == expected


def test_older_releases_know_fewer_options() -> None:
    assert shape("--reset", "2.8.5") == ["LAST:--reset-lost"]
    assert shape("--signal TERM", "2.8.5") == ["WRONG:--signal", "REST:TERM"]
    assert shape("--help", "3.0.9") == ["WRONG:--help"]
    assert shape("-d exit,always", "4.0.4") == ["WRONG:-d", "REST:exit,always"]


def test_positions_of_tokens() -> None:
    _, values = tokens(split_words("  -pwa --back=7 -k  x"), NEWEST)
    places = [value[1:6] for value in values[::2]]
    assert places == [("-p", 2, 6, 4, 6), ("--backlog_wait_time", 7, 15, 14, 15), ("-k", 16, 21, 20, 21)]
    assert [value[7] for value in values[::2]] == [1, 2, 4]
