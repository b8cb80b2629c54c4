"""What the tests of images share: rules, and the programs that make packages."""

import shutil
import subprocess
from pathlib import Path

import pytest

RULES = "-D\n-w /etc/passwd -p wa -k identity\n"


def needs(*programs: str) -> None:
    """Skips where a program that makes packages is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def command(*words: str, cwd: Path | None = None) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
