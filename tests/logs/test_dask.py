"""The same bytes from a cluster of several processes, one of which is killed in the middle."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

KILLER = """
import os, signal, sys, threading, time
import distributed


def kill(address, victim, killed):
    with distributed.Client(address) as client:
        while not any(client.processing().values()):
            time.sleep(0.002)
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)


def main():
    from auditlint.cli.main import run

    cluster = distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0")
    address = cluster.scheduler_address
    victim = next(iter(cluster.workers.values())).pid
    killed = []
    thread = threading.Thread(target=kill, args=(address, victim, killed))
    thread.start()
    status = run([*sys.argv[1:-1], "dask:" + address])
    thread.join()
    sys.stderr.write(f"killed {len(killed)}\\n")
    cluster.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def big(log: Any) -> Any:
    """A log of some pieces."""
    whole = (log / "audit.log").read_bytes()
    with (log / "big.log").open("wb") as file:
        for number in range(4000):
            file.write(whole.replace(b"audit(171700", b"audit(%d" % (171700 + number)).replace(b":4", b":%d4" % number))
    return log


WORDS = ("big.log", "a.rules", "--kernel", "6.1", "--auditctl", "3.0.9", "--format", "json", "--piece", "1")


def test_a_killed_worker_changes_nothing(big: Any) -> None:
    argv = [sys.executable, "-m", "auditlint", "replay", *WORDS]
    single = subprocess.run([*argv, "--jobs", "1"], cwd=big, capture_output=True, check=True)
    assert len(json.loads(single.stdout)["rules"]) == 4
    (big / "killer.py").write_text(KILLER)
    argv = [sys.executable, "killer.py", "replay", *WORDS, "--engine", "dask"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(argv, cwd=big, capture_output=True, check=False, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    assert b"killed 1" in done.stderr
    assert done.stdout == single.stdout


def test_a_cluster_of_its_own(big: Any, replay: Any) -> None:
    single = replay(*WORDS, "--jobs", "1")
    assert replay(*WORDS, "--engine", "dask", "--jobs", "2") == single


def test_no_scheduler(log: Any, replay: Any) -> None:
    assert "--engine spark" in replay("audit.log", "--engine", "spark", status=2)
