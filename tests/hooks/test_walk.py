"""The walk in docs/pre-commit.md: what it shows is what comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def blocks(text, word):
    return dict(re.findall(rf"```config {word}=(\S+)\n(.*?)```", text, re.S))


def check(where, files, *words):
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    command = [sys.executable, "-m", "auditlint", "check", "--no-config", *words, "--kernel", "6.1", *files]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_walk(root, tmp_path):
    text = (root / "docs/pre-commit.md").read_text(encoding="utf-8")
    files, fixed = blocks(text, "file"), blocks(text, "fixed")
    assert len(files) == 2
    assert files.keys() == fixed.keys()
    done = check(tmp_path, files)
    assert done.returncode == 1
    (shown,) = re.findall(r"```text output\n(.*?)```", text, re.S)
    assert done.stdout == shown
    done = check(tmp_path, fixed, "--fail-on", "advice")
    assert done.returncode == 0, done.stdout


def test_suppression_of_a_line_that_says_no(tmp_path):
    text = "CONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n"
    text += "# auditlint: ignore[AL805] shared with a kernel of 4.4\n# CONFIG_AUDIT is not set\n"
    done = check(tmp_path, {"x_defconfig": text}, "--ignore", "AL813")
    assert done.returncode == 0, done.stdout
    assert "1 suppressed" in done.stdout
