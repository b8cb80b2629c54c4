"""The rule of every event of real kernels' logs, where it is known (shared/logs/README.md)."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.io.facts_file import facts_from_toml
from auditlint.kernel.storage import store
from auditlint.load.program import load_file
from auditlint.logs.assembly import Assembler
from auditlint.logs.replayer import Question, Replayer

SETS = ("stig", "d024-5.10", "d402", "odd", "h093", "docker", "stig-6.12", "h013")
"""A few of each kind; all of them take 15 seconds (AUDITLINT_ALL_LOGS)."""


class Listener(Replayer):
    """A replayer that keeps the slot of every event."""

    def __init__(self, question: Any) -> None:
        super().__init__(question)
        self.slots: dict[Any, Any] = {}

    def _keep(self, event: Any, cell: Any) -> Any:
        _, _, seconds, ms, serial, _ = event[0]
        self.slots[f"{seconds.decode()}.{ms.decode()}", int(serial)] = cell.slot
        return cell

    def _call(self, event: Any, *rest: Any) -> Any:
        return self._keep(event, super()._call(event, *rest))

    def _message(self, event: Any, *rest: Any) -> Any:
        return self._keep(event, super()._message(event, *rest))


def compare(folder: Path, log: str = "audit.log.gz") -> Counter[Any]:
    """How many events got the line that made them, another line, or none."""
    told = json.loads((folder / "set.json").read_text())
    target = Target(".".join(told["kernel"].split(".")[:2]), "x86_64", "3.0.9")
    facts = facts_from_toml((folder / "facts.toml").read_text(), "facts.toml")
    program = load_file(Source("rules", (folder / "rules").read_bytes()), target, facts)
    storage = store(program.loaded, target, facts)
    listener = Listener(Question(target, facts, storage))
    assembler = Assembler(listener.take, lambda reason, size: pytest.fail(reason), lambda number: None)
    assembler.feed(gzip.decompress((folder / log).read_bytes()))
    assert assembler.unfinished() == []
    lines = {stored.index: stored.entry.line.number for stored in storage.rules if stored.entry is not None}
    counts: Counter[Any] = Counter()
    for row in gzip.decompress((folder / "truth.jsonl.gz").read_bytes()).splitlines():
        truth = json.loads(row)
        kind, value = listener.slots[truth["time"], truth["serial"]]
        if truth["line"] is None:
            # Without a key the truth cannot tell the record of a rule from that of another part of the kernel.
            counts["no rule" if kind == "without" else "keyless" if kind == "rule" else "not known"] += 1
        elif kind == "rule":
            counts["right" if lines[value] == truth["line"] else "wrong"] += 1
        else:
            counts["not known"] += 1
    return counts


@pytest.mark.parametrize("name", SETS)
def test_the_rule_of_every_event(name: Any, shared: Path) -> None:
    counts = compare(shared / "logs" / name)
    assert counts["wrong"] == 0
    if name == "h013":  # its file is replaced by a process that is not in the log, which turns the order of two rules
        assert counts["not known"] == 5
    else:
        assert counts["not known"] == 0
    assert counts["right"] > 0


def test_enriched_logs_give_the_same(shared: Path) -> None:
    for name in ("stig", "odd"):
        assert compare(shared / "logs" / name, "audit-enriched.log.gz") == compare(shared / "logs" / name)
