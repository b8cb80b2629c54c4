"""The command line as a whole process."""

import subprocess
import sys


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
