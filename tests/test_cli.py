"""The command line as a whole process."""

import os
import subprocess
import sys

import pytest


def auditlint(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "auditlint", *words], capture_output=True, text=True, check=False)


def test_version_is_printed():
    done = auditlint("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("auditlint ")


def test_no_words_is_wrong_use():
    done = auditlint()
    assert done.returncode == 2
    assert "usage: auditlint" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full to stand in for a full disk")
def test_status_when_nobody_can_be_told():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "auditlint", "check", "/nowhere"]
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2


def test_a_pipe_gets_all_of_a_report(tmp_path):
    rules = tmp_path / "a.rules"
    rules.write_text("-a always,exit -F arch=b64 -S nope -k x\n" * 2000)
    assert auditlint("check", str(rules)).stdout.count("[AL115 ") == 2000
