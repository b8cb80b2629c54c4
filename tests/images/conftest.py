"""Images made of files, links and packages, and the command line to judge them with."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run

RULES = "-D\n-w /etc/passwd -p wa -k identity\n"


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes `img` in the current folder: names to texts; a text `-> PATH` is a symbolic link."""
    monkeypatch.chdir(tmp_path)

    def make(files: dict[str, str | bytes]) -> Path:
        for name, text in files.items():
            path = tmp_path / "img" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, bytes):
                path.write_bytes(text)
            elif text.startswith("-> "):
                path.symlink_to(text[3:])
            else:
                path.write_text(text)
        return tmp_path / "img"

    return make


@pytest.fixture
def judge(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    """Runs a command with a JSON report: status, the report (None without one), standard error."""

    def call(*words: str) -> tuple[int, Any, str]:
        status = run([*words, "--format", "json"])
        out = capsys.readouterr()
        return status, json.loads(out.out) if out.out else None, out.err

    return call


def needs(*programs: str) -> None:
    """Skips where a program that makes packages is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def command(*words: str, cwd: Path | None = None) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
