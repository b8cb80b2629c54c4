"""The command line as a whole process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def auditlint(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "auditlint", *words], capture_output=True, text=True, check=False)


def test_version_is_printed() -> None:
    done = auditlint("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("auditlint ")


def test_no_words_is_wrong_use() -> None:
    done = auditlint()
    assert done.returncode == 2
    assert "usage: auditlint" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full to stand in for a full disk")
def test_status_when_nobody_can_be_told() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "auditlint", "check", "/nowhere"]
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2


def test_a_pipe_gets_all_of_a_report(tmp_path: Path) -> None:
    rules = tmp_path / "a.rules"
    rules.write_text("-a always,exit -F arch=b64 -S nope -k x\n" * 2000)
    assert auditlint("check", str(rules)).stdout.count("[AL115 ") == 2000


def test_a_slip_in_the_name_of_a_command(tmp_path: Path) -> None:
    done = auditlint("chek", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "auditlint: chek: neither a command nor a file; did you mean check?\n"
    path = tmp_path / "chek"
    path.write_text("-D\n")
    done = subprocess.run(
        [sys.executable, "-m", "auditlint", "chek"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "/nowhere: No such file" in auditlint("/nowhere").stderr
