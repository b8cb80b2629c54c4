"""How fast `replay` reads a log with about 400 rules, beside a plain read of the same file by line.

    python benchmarks/replay.py LOG RULES [FACTS]

Prints MB/s of both, their ratio, and the largest memory of the process.
"""

from __future__ import annotations

import resource
import sys
import time
from functools import partial
from pathlib import Path

from auditlint.core.facts import UNKNOWN
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.io.facts_file import facts_from_toml
from auditlint.io.log_files import log_files, pieces, read_piece
from auditlint.kernel.storage import store
from auditlint.load.program import load_file
from auditlint.logs.pieces import Sum, summarize
from auditlint.logs.replayer import Question


def main(log: str, rules: str, facts_file: str | None = None) -> None:
    start = time.process_time()
    size = 0
    with open(log, "rb") as stream:
        for line in stream:
            size += len(line)
    plain = time.process_time() - start
    target = Target("6.1", "x86_64", "3.0.9")
    facts = UNKNOWN if facts_file is None else facts_from_toml(Path(facts_file).read_text(), facts_file)
    program = load_file(Source(rules, Path(rules).read_bytes()), target, facts)
    question = Question(target, facts, store(program.loaded, target, facts))
    start = time.process_time()
    total = Sum(question)
    memory: dict[object, object] = {}
    for piece in pieces(log_files([log])):
        total.add(summarize(question, partial(read_piece, piece), piece.source, memory=memory))
    tally = total.finish()
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(program.loaded)} rules, {tally.events:,} events, {size / 1e6:.0f} MB")
    print(f"plain read {size / 1e6 / plain:.0f} MB/s, replay {size / 1e6 / taken:.1f} MB/s, {taken / plain:.0f} times")
    print(f"largest memory {peak:.0f} MiB")


if __name__ == "__main__":
    main(*sys.argv[1:4])
