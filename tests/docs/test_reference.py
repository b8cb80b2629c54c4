"""The reference pages are complete: settings, facts, and the keys of JSON that they promise."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli import main as cli
from auditlint.core import settings
from auditlint.io import facts_file as facts_read

RULES = "-D\n-a always,exit -F exe=/usr/bin/x -S all -k x\n-w /etc/passwd -p wa\n-a always,exit -S nosuchcall\n"
EVENT = '{"name": "openat", "abi": 64, "exit": 0, "objects": []}\n'


def page(root: Path, name: Any) -> Any:
    return (root / f"docs/{name}.md").read_text(encoding="utf-8")


def keys_of_table(text: Any) -> Any:
    """The words of the first column."""
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.M)
    return {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}


def test_every_setting_is_described(root: Path) -> None:
    known = {*settings._TEXTS, *settings._LISTS, "pedantic", "severity", "per-path"}
    text = page(root, "check").partition("## Settings\n")[2].partition("\n## ")[0]
    assert sorted(key for key in known if not re.search(rf"\b{key}\b", text)) == []


def test_every_fact_is_described(root: Path) -> None:
    described = set(re.findall(r"^\| `(\w+) = ", page(root, "facts"), re.M))
    assert described == set(facts_read._READERS)


def run(capfd: pytest.CaptureFixture[str], *words: Any) -> Any:
    assert cli.run(list(words)) in (0, 1)
    return capfd.readouterr().out


def test_keys_of_cost(root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rules, workload = tmp_path / "a.rules", tmp_path / "calls"
    rules.write_text(RULES)
    workload.write_text("read 100\nopenat 10 1\n")
    options = ["--no-config", "--kernel", "6.1", "--auditctl", "3.0.9", "--format", "json", str(rules)]
    found = json.loads(run(capfd, "cost", *options, "--against", "kernel=5.10"))
    found |= json.loads(run(capfd, "cost", *options, "--workload", str(workload)))
    text = page(root, "interfaces").partition("\n## cost\n")[2].partition("\n## ")[0]
    promised = keys_of_table(text)
    assert len(promised) > 8
    assert promised - found.keys() == set()
    for key in ("operations", "rules", "not_loaded", "advice"):
        row = re.search(rf"^\| `{key}` \| (.*) \|$", text, re.M)
        assert row is not None
        cell = row[1]
        assert set(re.findall(r"`(\w+)`", cell.partition("`parts`")[0])) <= found[key][0].keys(), key


def test_keys_of_match(root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.rules").write_text("-a always,exit -F arch=b64 -S openat -k x\n")
    (tmp_path / "events").write_text(EVENT)
    found = json.loads(
        run(capfd, "match", "--no-config", "--explain", "--events", str(tmp_path / "events"), str(tmp_path / "a.rules"))
    )
    assert keys_of_table(page(root, "match").partition("\n## Answers\n")[2].partition("\n## ")[0]) == found.keys()
