"""A long fuzz run over `rooms.check`.

usage: run.py [--seconds CPU] [--keep FOLDER] [--found FOLDER] [--seed N]

With `atheris` installed the run is guided by coverage; without it, inputs are generated and mutated by chance. Starts
from `corpus/`. An input that raises is written to FOLDER (default: the current one) as `crash-HASH` and ends the run.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent


def by_chance(seconds: float, seed: int, keep: Path) -> int:
    """Generated and mutated inputs until the CPU time is used up."""
    from tests.fuzz import rooms
    from tests.fuzz.inputs import generated, mutated

    corpus = [path.read_bytes() for path in sorted((HERE / "corpus").iterdir())]
    start = time.process_time()
    count = 0
    while time.process_time() - start < seconds:
        random = Random(seed + count)
        count += 1
        data = generated(random) if random.randrange(2) else mutated(random, random.choice(corpus))
        try:
            rooms.check(data)
        except Exception:
            _keep(data, keep)
            raise
    _report(count, time.process_time() - start)
    return 0


def guided(seconds: float, seed: int, keep: Path, found: Path) -> int:
    """atheris, from the corpus; new inputs go to `found`. Never returns: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["auditlint"]):
        from tests.fuzz import rooms

    start = time.process_time()
    counter: Iterator[int] = iter(range(1 << 62))

    def once(data: bytes) -> None:
        count = next(counter)
        rooms.check(data)
        if time.process_time() - start >= seconds:
            _report(count, time.process_time() - start)
            sys.stdout.flush()
            # The exit handlers of libFuzzer would take a plain exit for a crash.
            import os

            os._exit(0)

    found.mkdir(parents=True, exist_ok=True)
    options = [
        sys.argv[0],
        f"-seed={seed + 1}",
        "-max_len=8192",
        "-timeout=30",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ]
    atheris.Setup([*options, f"-artifact_prefix={keep}/", str(found), str(HERE / "corpus")], once)
    atheris.Fuzz()
    return 0


def _keep(data: bytes, keep: Path) -> None:
    path = keep / f"crash-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    print(f"{path}: {data[:200]!r}")


def _report(count: int, seconds: float) -> None:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{count} inputs, {seconds:.0f} s of CPU, {memory} MiB, no exception")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path.cwd(), help="where an input that raises goes")
    parser.add_argument("--found", type=Path, help="where atheris keeps what covers more (default: KEEP/found)")
    options = parser.parse_args()
    try:
        import atheris  # noqa: F401
    except ImportError:
        return by_chance(options.seconds, options.seed, options.keep)
    return guided(options.seconds, options.seed, options.keep, options.found or options.keep / "found")


if __name__ == "__main__":
    sys.exit(main())
