"""What the repository holds: no binary and no large file but those that `.ci/large-files.txt` names."""

import subprocess
from pathlib import Path

import pytest

LIST = ".ci/large-files.txt"
LARGEST = 200_000
"""Bytes. More are generated, or came in by mistake."""
_LOOKED_AT = 8_000


def faults(root: Path, names: list[str], allowed: set[str]) -> list[str]:
    """What is wrong with the tracked files, one line each; an entry of the list that no file needs is wrong as well. An
    entry that ends in `/` stands for a folder."""
    lines = []
    needed = set()
    for name in names:
        data = (root / name).read_bytes()
        wrong = "is binary" if b"\0" in data[:_LOOKED_AT] else f"has {len(data)} bytes" if len(data) > LARGEST else ""
        if wrong:
            entries = {entry for entry in allowed if name == entry or (entry.endswith("/") and name.startswith(entry))}
            needed |= entries
            if not entries:
                lines.append(f"{name}: {wrong}, and {LIST} does not name it")
    return lines + [f"{name}: {LIST} names it for nothing" for name in sorted(allowed - needed)]


def allowed_files(text: str) -> set[str]:
    """The names in the list; a line is `NAME: reason` or a comment."""
    return {line.partition(":")[0] for line in text.splitlines() if line and not line.startswith("#")}


def test_no_binary_and_no_large_file_is_tracked(root: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    assert faults(root, names, allowed_files((root / LIST).read_text(encoding="utf-8"))) == []


def test_faults_are_seen(tmp_path: Path) -> None:
    (tmp_path / "wheel.whl").write_bytes(b"PK\3\4\0\0")
    (tmp_path / "long.txt").write_bytes(b"x" * (LARGEST + 1))
    (tmp_path / "fine.txt").write_bytes(b"x")
    names = ["wheel.whl", "long.txt", "fine.txt"]
    assert len(faults(tmp_path, names, set())) == 2
    assert faults(tmp_path, names, {"wheel.whl", "long.txt"}) == []
    assert len(faults(tmp_path, names, {"wheel.whl", "long.txt", "fine.txt"})) == 1
