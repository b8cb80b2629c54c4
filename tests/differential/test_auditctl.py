"""Every line means to us what it means to the real auditctl.

AUDITLINT_LINES sets the number of generated lines (default 24,000), AUDITLINT_SEED the first seed: in a nightly run
give a million and the date.
"""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from auditlint.auditctl.encode import encode
from auditlint.core.data import parse_toml
from tests.differential import compare
from tests.differential.lines import MACHINES, generate
from tests.differential.standin import HERE, Auditctl

LINES = int(os.environ.get("AUDITLINT_LINES", "24000"))
SEED = int(os.environ.get("AUDITLINT_SEED", "0"))
BATCH = 2000
FOUND = parse_toml((HERE / "found.toml").read_text(encoding="utf-8"))["found"]


def _check(auditctl: Auditctl, lines: list[bytes], machine: str) -> list[str]:
    wrong: list[Any] = []
    for line, theirs, mine in compare.differences(auditctl, b"\n".join(lines) + b"\n", machine):
        short = compare.smaller(auditctl, line, machine) if len(wrong) < 5 else line
        wrong.append(f"{machine}: {short!r}\n  auditctl {compare.plain(theirs)}\n  auditlint {compare.plain(mine)}")
    return wrong


def _report(wrong: list[str], count: int) -> None:
    assert not wrong, f"{len(wrong)} of {count} lines differ:\n" + "\n".join(wrong[:20])


@pytest.mark.slow
@pytest.mark.real
def test_generated_lines(auditctl: Auditctl) -> None:
    wrong: list[str] = []
    for batch in range(0, LINES, BATCH):
        wrong += _check(auditctl, generate(BATCH, SEED + batch), "x86_64")
    _report(wrong, LINES)


@pytest.mark.real
@pytest.mark.parametrize("machine", MACHINES)
def test_other_machines(auditctl: Auditctl, machine: str) -> None:
    lines = generate(max(500, LINES // 48), SEED + MACHINES.index(machine) + 1)
    if machine != "x86_64":
        # Here an x86_64 program is told that it runs elsewhere: it finds the tables of that machine, but keeps its own
        # size of numbers, order of bytes and sign of characters.
        lines = [line for line in lines if not re.search(rb"(?i)0x[0-9a-f]{8}|[0-9]{10}|-[mq]", line)]
    _report(_check(auditctl, lines, machine), len(lines))


@pytest.mark.parametrize("found", FOUND, ids=[found["line"][:40] for found in FOUND])
def test_found(found: dict[str, Any]) -> None:
    """Lines on which we once differed."""
    machine = str(found.get("machine", "x86_64"))
    lines = compare.read(_bytes(found), machine)
    line = lines[0] if lines else None
    assert len(lines) < 2
    verdict = compare.of_line(line) if line else compare.NOTHING
    assert compare.plain(verdict) == _expected(found)


@pytest.mark.real
def test_found_is_what_auditctl_does(auditctl: Auditctl) -> None:
    for found in FOUND:
        (piece,) = auditctl.judge(_bytes(found), str(found.get("machine", "x86_64")))
        assert compare.plain(compare.of_piece(piece)) == _expected(found), found


def _bytes(found: dict[str, Any]) -> bytes:
    return str(found["line"]).encode("latin-1")


def _expected(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in ("line", "machine", "why")}


@pytest.mark.real
def test_encoded_rules(auditctl: Auditctl) -> None:
    """The bytes of a rule, too, are those that auditctl sends."""
    compared = 0
    for piece in auditctl.judge(b"\n".join(generate(4000, SEED + 2)) + b"\n"):
        rules = [what[1] for what in piece.sent if isinstance(what, tuple) and what[0] != "signal"]
        for rule, payload in zip(rules, piece.rules, strict=True):
            assert encode(rule) == payload, rule
            compared += 1
    assert compared > 500


@pytest.mark.slow
@pytest.mark.real
def test_command_lines(auditctl: Auditctl) -> None:
    """The same lines as the words of a command line."""
    wrong = []
    for line in generate(max(1500, LINES // 16), SEED + 1):
        words = line.replace(b"\0", b"").split(b" ")
        if words[0] == b"-R" or words == [b""]:  # reads a file, or prints the usage before anything is asked
            continue
        theirs, mine = compare.command_line(auditctl, words)
        if mine != theirs:
            wrong.append(f"{words}\n  auditctl {compare.plain(theirs)}\n  auditlint {compare.plain(mine)}")
    _report(wrong, LINES)
