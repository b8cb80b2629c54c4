"""Images made of files, links and packages, and the command line to judge them with."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run


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
