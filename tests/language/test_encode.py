"""The bytes of struct audit_rule_data."""

from __future__ import annotations

import struct

import pytest

from auditlint.auditctl.encode import encode
from auditlint.auditctl.model import ALL_SYSCALLS, Field, Rule
from auditlint.auditctl.parse import Reader
from auditlint.core.facts import Facts
from auditlint.core.target import Target

WORDS = "260I"


def words(data: bytes, order: str = "<") -> tuple[tuple[int, ...], bytes]:
    size = struct.calcsize(order + WORDS)
    assert size == 1040
    return struct.unpack(order + WORDS, data[:size]), data[size:]


def test_every_part_has_its_place() -> None:
    rule = Rule(
        "exit",
        "always",
        1 << 2 | 1 << 33 | 1 << 2047,
        (Field("arch", "=", 0xC000003E), Field("path", "=", "/é"), Field("a1", "&=", 7), Field("key", "!=", "k\udcff")),
        prepend=True,
    )
    numbers, texts = words(encode(rule))
    flags, action, count = numbers[:3]
    mask, fields, values, operators = (numbers[3 + 64 * part : 67 + 64 * part] for part in range(4))
    assert (flags, action, count) == (0x14, 2, 4)
    assert {at: word for at, word in enumerate(mask) if word} == {0: 4, 1: 2, 63: 0x80000000}
    assert fields[:5] == (11, 105, 201, 210, 0)
    assert values[:5] == (0xC000003E, 3, 7, 2, 0)
    assert operators[:5] == (0x40000000, 0x40000000, 0x48000000, 0x30000000, 0)
    assert numbers[259] == 5
    assert texts == "/é".encode() + b"k\xff"


def test_big_endian_and_odd_lists() -> None:
    numbers, texts = words(encode(Rule("0xffffffff", "never", ALL_SYSCALLS, ()), big_endian=True), ">")
    assert numbers[:3] == (0xFFFFFFFF, 0, 0)
    assert set(numbers[3:67]) == {0xFFFFFFFF}
    assert (numbers[259], texts) == (0, b"")


def test_users_that_nobody_knows() -> None:
    line = Reader(Target(), Facts()).read_words(["-a", "always,exit", "-F", "auid=chrony"])
    assert line.rule is not None
    with pytest.raises(ValueError, match=r"number of chrony \(auid\) is not known"):
        encode(line.rule)
