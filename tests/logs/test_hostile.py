"""Logs made to hurt: whatever the bytes are, the command ends, counts and never shows a traceback.

AUDITLINT_HOSTILE_LOGS says how many inputs are tried (nightly: 100000).
"""

import gzip
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from auditlint.core.facts import UNKNOWN
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.kernel.storage import store
from auditlint.load.program import load_file
from auditlint.logs.forms import transformed
from auditlint.logs.pieces import Sum, summarize
from auditlint.logs.replayer import Question
from auditlint.logs.summary import summary
from auditlint.logs.tally import TABLES
from tests.logs.conftest import RULES, call
from tests.logs.test_forms import FORMS

INPUTS = int(os.environ.get("AUDITLINT_HOSTILE_LOGS", "1500"))
PIECES = (
    *(b"\x00", b"\x1d", b"\n", b"\r", b"=", b'"', b" ", b"(null)", b"type=SYSCALL", b"msg=audit(", b"): ", b"\xff"),
    *(b"9" * 30, b"9" * 5000, b"arch=", b"exit=-99999999999", b"items=99999", b"name=", b"nametype=", b"mode="),
    *(b"inode=18446744073709551616", b"audit(99999999999999.999:99999999999999)", b"{", b"}", b"[" * 50, b'"ID":'),
    *(b"key=", b"41" * 40, b"node=x ", b"type=CONFIG_CHANGE", b"op=add_rule", b"op=remove_rule", b"syscall=4294967296"),
    *(b"a0=", b"../" * 20, b"syscall=" + b"1" * 5000, b"arch=" + b"f" * 5000),
)


def mutated(random_of: Any, data: Any) -> Any:
    """The bytes with a few changes."""
    changed = bytearray(data)
    for _ in range(random_of.randrange(1, 8)):
        at = random_of.randrange(len(changed) + 1)
        kind = random_of.randrange(5)
        if kind == 0:
            changed[at:at] = random_of.choice(PIECES)
        elif kind == 1:
            del changed[at : at + random_of.randrange(40)]
        elif kind == 2:
            changed[at : at + 1] = bytes([random_of.randrange(256)])
        elif kind == 3:
            end = at + random_of.randrange(200)
            changed[at:at] = changed[at:end]
        else:
            changed[at : at + 12] = random_of.choice(PIECES)
    return bytes(changed)


def chunks_of(data: Any, size: Any) -> Iterator[Any]:
    lines = data.split(b"\n")
    for at in range(0, len(lines), size):
        yield b"\n".join(lines[at : at + size]) + b"\n"


def test_mutated_logs(log: Any) -> None:
    target = Target("6.1", "x86_64", "3.0.9")
    program = load_file(Source("a.rules", RULES.encode()), target, UNKNOWN)
    rules = store(program.loaded, target, UNKNOWN)
    seeds = [(log / "audit.log").read_bytes()]
    for form in FORMS:
        text = form(log)
        seeds.append(text if isinstance(text, bytes) else text.encode())
    random_of = random.Random(7)
    memory: dict[Any, Any] = {}
    for number in range(INPUTS):
        data = mutated(random_of, random_of.choice(seeds))
        asked = Question(target, UNKNOWN, rules if number % 3 else None, paths=True)

        def chunks(skip: Any, data: Any = data) -> Any:
            return transformed(chunks_of(data, 7), target, UNKNOWN, skip)

        total = Sum(asked)
        total.add(summarize(asked, chunks, memory=memory if number % 3 else None))
        tally = total.finish()
        answer = summary(tally, asked, TABLES, 5)
        counted = sum(row[0] for row in tally.tables["rule"].rows.values())
        assert counted == answer["log"]["events"]
        assert sum(row[1] for row in tally.tables["rule"].rows.values()) == tally.bytes


def test_many_different_values_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in which everything differs keeps tables of fixed size, and counts all the same."""
    from auditlint.logs import replayer, tally

    monkeypatch.setattr(tally, "MOST_LABELS", 50)
    monkeypatch.setattr(replayer, "MOST_CELLS", 40)
    monkeypatch.setattr(replayer, "MOST_NAMES", 30)
    monkeypatch.setattr(replayer, "_MOST_PATHS", 30)
    target = Target("6.1", "x86_64", "3.0.9")
    rules = store(load_file(Source("a.rules", RULES.encode()), target, UNKNOWN).loaded, target, UNKNOWN)
    lines = []
    for number in range(600):
        paths = [(f"/srv/{number}", 1000 + number, "0100644", "NORMAL")]
        lines += call(number, 59, "exec", exe=f"/usr/bin/p{number}", time=1717000000 + number * 61, paths=paths)
    asked = Question(target, UNKNOWN, rules, paths=True)
    summed = Sum(asked)
    summed.add(summarize(asked, lambda skip: ["\n".join(lines).encode() + b"\n"]))
    counts = summed.finish()
    table = counts.tables["exe"]
    assert len(table.rows) <= 50
    assert sum(row[0] for row in table.rows.values()) + table.rest[0] == 600
    assert counts.tables["rule"].rows == {("rule", 1): [600, counts.bytes]}


def test_interleaved_events_without_an_end_stay_bounded() -> None:
    from auditlint.logs import assembly

    taken: list[Any] = []
    assembler = assembly.Assembler(taken.append, lambda *_: None, lambda *_: None)
    lines = [f"type=AVC msg=audit(1717000000.000:{number}): avc: denied" for number in range(3000)]
    assembler.feed("\n".join(lines).encode() + b"\n")
    assert len(taken) >= 3000 - assembly.MOST_OPEN - 2
    assert len(assembler.unfinished()) <= assembly.MOST_OPEN + 1


def test_damaged_packed_logs(log: Any, replay: Any) -> None:
    data = gzip.compress((log / "audit.log").read_bytes())
    (log / "cut.log.gz").write_bytes(data[: len(data) // 2])
    answer = replay("cut.log.gz", "a.rules", "--format", "json")
    assert answer["log"]["skipped"][0]["reason"] == "packed data that ends too early"
    (log / "bad.log.gz").write_bytes(data[:60] + b"\xff" * 40 + data[100:])
    replay("bad.log.gz", "a.rules", "--format", "json")
    (log / "empty.log").write_bytes(b"")
    assert replay("empty.log", "--format", "json")["log"]["events"] == 0
