"""What the README shows is what the program says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_first_command_ends_as_shown():
    words = [sys.executable, "-m", "auditlint", "check", "--no-config", "examples/rules.d"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    shown = {line.strip() for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()}
    said = done.stdout.splitlines()
    assert done.returncode == 1
    assert [line for line in said[-2:] if line not in shown] == []
    (error,) = [line for line in said if "AL116" in line]
    assert error in shown
