"""docs/adding-a-check.md, taken at its word: the files that it shows, under another name, are a whole check."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CODE, NAME = "AL998", "key-forgotten"
"""What the copy of AL901 key-missing is called."""


def shown(page: str, command: str) -> str:
    """What the page says that a command prints."""
    found = re.search(rf"^\$ {re.escape(command)}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found, command
    return found[1]


@pytest.mark.slow
def test_four_files_are_a_check(root: Path, tmp_path: Path) -> None:
    for name in ("auditlint", "grammars", "rulesets", "docs/checks", "tests"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "corpus", "data"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    page = (root / "docs/adding-a-check.md").read_text(encoding="utf-8")
    renamed = [
        text.replace("AL901", CODE).replace("key-missing", NAME)
        for text in (
            shown(page, "cat auditlint/checks/style/key_missing.py"),
            shown(page, "grep ^AL901 rulesets/checks.tsv | tr '\\t' '\\n'"),
            shown(page, "cat tests/cases/AL901.toml"),
            (root / "docs/checks/AL901.md").read_text(encoding="utf-8"),
        )
    ]
    module, row, cases, description = renamed

    def outcome() -> int:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"{CODE} or four_sets"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [*command, "tests/checks/test_cases.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.returncode

    added = {
        tmp_path / "auditlint/checks/style" / f"{NAME.replace('-', '_')}.py": module,
        tmp_path / "tests/cases" / f"{CODE}.toml": cases,
        tmp_path / "docs/checks" / f"{CODE}.md": description,
    }
    table = tmp_path / "rulesets/checks.tsv"
    table.write_text(table.read_text(encoding="utf-8") + "\t".join(row.split("\n")).rstrip() + "\n", encoding="utf-8")
    for path, text in added.items():
        path.write_text(text, encoding="utf-8")
    assert outcome() == 0
    for path, text in added.items():
        path.unlink()
        assert outcome() != 0, path.name
        path.write_text(text, encoding="utf-8")
