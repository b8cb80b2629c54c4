"""Inputs for `rooms.feed` by chance: made of what the readers know, then damaged."""

from __future__ import annotations

from pathlib import Path
from random import Random

_WORDS = (Path(__file__).parent / "words.txt").read_bytes().split(b"\n")[:-1]
_RULES = [word for word in _WORDS if word.startswith((b"-", b"#"))]


def generated(random: Random) -> bytes:
    """Some lines for some room, half of them rule lines."""
    lines = [
        random.choice(_WORDS) if random.randrange(2) else _rule_line(random) for _ in range(random.randrange(1, 9))
    ]
    data = bytes((random.randrange(256), random.randrange(256))) + random.choice((b"\n", b"\n", b" ", b"\n===\n")).join(
        lines
    )
    return mutated(random, data) if random.randrange(2) else data


def _rule_line(random: Random) -> bytes:
    """Words of rules in any order."""
    return b" ".join(random.choice(_RULES) for _ in range(random.randrange(6)))


def mutated(random: Random, data: bytes) -> bytes:
    """A few bytes changed, a piece repeated, cut out or moved."""
    found = bytearray(data)
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(len(found) + 1)
        size = random.randrange(1, 9)
        match random.randrange(6):
            case 0:
                found[at : at + 1] = bytes((random.randrange(256),))
            case 1:
                found[at:at] = bytes((random.choice(b" \t\n\r\0\\\"'=,-#&<>!/\x01\x04\x07\x80\xff"),))
            case 2:
                del found[at : at + size]
            case 3:
                found[at:at] = found[at : at + size] * random.randrange(1, 40)
            case 4:
                found[at:at] = random.choice(_WORDS)
            case 5:
                piece = found[at : at + size]
                del found[at : at + size]
                to = random.randrange(len(found) + 1)
                found[to:to] = piece
    return bytes(found[:8192])
