"""Speed and memory of auditlint, against the limits that the project promises.

usage: run.py [--runs N] [--only TEXT]

CPU time is user plus system time of the whole process as wait4 reports it, the median of N runs (default 7). A ratio
is that time divided by the time of `python -c pass` on the same interpreter; runs of the two alternate. Ends with
status 1 when a limit is broken. Rows that need a program or a package that is missing say so.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.many import fill
from benchmarks.rules import generate, hard

ROOT = Path(__file__).resolve().parent.parent

PYTHON = sys.executable
KERNEL = Path("/usr/src/linux-source-6.1.tar.xz")
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `limit` None is only reported, `value` None could not be measured."""

    name: str
    value: float | None
    unit: str
    limit: float | None
    note: str = ""

    @property
    def broken(self) -> bool:
        return self.value is not None and self.limit is not None and self.value > self.limit


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    seconds: float
    bytes: int


class Bench:
    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs
        self.environment = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONDONTWRITEBYTECODE="")
        self.environment.pop("PYTHONDONTWRITEBYTECODE")

    def once(self, *words: str, allowed: tuple[int, ...] = (0, 1)) -> Cost:
        """One run of the interpreter with these words, output thrown away."""
        null = os.open(os.devnull, os.O_RDWR)
        moves = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
        pid = os.posix_spawn(PYTHON, [PYTHON, *words], self.environment, file_actions=moves)
        os.close(null)
        _, status, used = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) not in allowed:
            raise RuntimeError(f"exit {os.waitstatus_to_exitcode(status)}: {' '.join(words)}")
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)

    def tool(self, *words: str, runs: int = 0) -> Cost:
        """auditlint with these words: median CPU time, most memory."""
        self.once("-m", "auditlint", *words)  # byte code written, files in the cache
        found = [self.once("-m", "auditlint", *words) for _ in range(runs or self.runs)]
        return Cost(statistics.median(cost.seconds for cost in found), max(cost.bytes for cost in found))

    def ratio(self, *words: str) -> float:
        """CPU time of auditlint with these words as a multiple of an empty Python start."""
        self.once("-m", "auditlint", *words)
        tool, empty = [], []
        for _ in range(2 * self.runs):
            tool.append(self.once("-m", "auditlint", *words).seconds)
            empty.append(self.once("-c", "pass").seconds)
        return statistics.median(tool) / statistics.median(empty)

    def rules(self, count: int) -> str:
        path = self.folder / f"{count}.rules"
        if not path.exists():
            path.write_bytes(generate(count))
        return str(path)


def starting(bench: Bench) -> Iterator[Row]:
    yield Row("--version", bench.ratio("--version"), "x python -c pass", 2.5)
    yield Row("--help", bench.ratio("--help"), "x python -c pass", 2.5)


def checking(bench: Bench) -> Iterator[Row]:
    yield Row("check, 500 rules, cold", bench.ratio("check", bench.rules(500)), "x python -c pass", 10)
    ten = bench.tool("check", bench.rules(10_000))
    yield Row("check, 10,000 rules", ten.seconds, "s", 2)
    hundred = bench.tool("check", bench.rules(100_000), runs=1)
    yield Row("check, 100,000 rules", hundred.seconds / ten.seconds, "x 10,000 rules", 12, f"{hundred.seconds:.1f} s")
    yield Row("check, 100,000 rules, memory", hundred.bytes / MIB, "MiB", 400)
    path = bench.folder / "hard.rules"
    path.write_bytes(hard(3000))
    yield Row("check, 3,000 hard rules", bench.tool("check", str(path), runs=1).seconds, "s", 5, "each nearly implied")


def parsing(bench: Bench) -> Iterator[Row]:
    from tests.differential import standin

    count = 100_000
    path = bench.rules(count)
    empty = bench.tool("--version").seconds
    ours = count / (bench.tool("parse", path, runs=1).seconds - empty)
    yield Row("parse, rate", ours, "rules/s", None)
    why = standin.missing()
    if why:
        yield Row("auditctl, rate", None, "rules/s", None, why)
        return
    auditctl = standin.Auditctl(bench.folder)
    start = bench.folder / "one.rules"
    start.write_bytes(generate(1))
    auditctl.seconds(start)
    taken = statistics.median(auditctl.seconds(Path(path)) for _ in range(bench.runs)) - auditctl.seconds(start)
    theirs = count / taken
    yield Row("auditctl 3.0.9 -R, rate", theirs, "rules/s", None, "behind the stand-in, nothing recorded")
    yield Row("auditctl is faster than parse", theirs / ours, "times", None)


def configurations(bench: Bench) -> Iterator[Row]:
    if not KERNEL.exists():
        yield Row("check, in-tree defconfigs", None, "s", 20, f"{KERNEL} is missing (linux-source-6.1)")
        return
    folder = bench.folder / "configs"
    found = []
    with tarfile.open(KERNEL) as archive:
        for member in archive:
            parts = Path(member.name).parts
            if len(parts) > 4 and parts[1] == "arch" and parts[3] == "configs" and member.name.endswith("_defconfig"):
                data = archive.extractfile(member)
                assert data is not None
                path = folder.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data.read())
                found.append(str(path))
    one = next(path for path in found if path.endswith("arch/x86/configs/x86_64_defconfig"))
    words = ("check", "--kernel", "6.1", "--kind", "config")
    yield Row("check, one defconfig", bench.ratio(*words, one), "x python -c pass", 8)
    many = bench.tool(*words, *found, runs=1)
    yield Row("check, in-tree defconfigs of 6.1", many.seconds, "s", 20, f"{len(found)} files, one process")


def many(bench: Bench) -> Iterator[Row]:
    folder = bench.folder / "many"
    fill(folder)
    words = ("check", str(folder / "configs"), str(folder / "rules"))
    forms = [f"--format={form}:{bench.folder / form}" for form in ("text", "json", "sarif", "gitlab", "junit")]
    taken = bench.once("-m", "auditlint", *words, *forms)
    yield Row("check, 500 configs, 2,000 rule files", taken.seconds, "s", None, "five reports at once")
    yield Row("check, the same, memory", taken.bytes / MIB, "MiB", 400)


def pricing(bench: Bench) -> Iterator[Row]:
    yield Row("cost, 400 rules", bench.ratio("cost", bench.rules(400)), "x python -c pass", 12)
    yield Row("cost, 10,000 rules", bench.tool("cost", bench.rules(10_000)).seconds, "s", 3)


GROUPS: tuple[Callable[[Bench], Iterator[Row]], ...] = (starting, checking, parsing, configurations, many, pricing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument(
        "--only", default="", help="only the groups whose name holds this: " + " ".join(g.__name__ for g in GROUPS)
    )
    options = parser.parse_args()
    broken = 0
    with tempfile.TemporaryDirectory(prefix="auditlint-bench.") as folder:
        bench = Bench(Path(folder), options.runs)
        print(f"Python {sys.version.split()[0]}, python -c pass {bench.once('-c', 'pass').seconds * 1000:.1f} ms")
        for group in GROUPS:
            if options.only not in group.__name__:
                continue
            for row in group(bench):
                value = (
                    "not measured"
                    if row.value is None
                    else f"{row.value:,.2f}"
                    if row.value < 1000
                    else f"{row.value:,.0f}"
                )
                limit = "" if row.limit is None else f"at most {row.limit:g}"
                verdict = "BROKEN" if row.broken else "ok" if row.limit is not None and row.value is not None else ""
                print(f"{row.name:34} {value:>12} {row.unit:18} {limit:12} {verdict:7} {row.note}".rstrip(), flush=True)
                broken += row.broken
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
