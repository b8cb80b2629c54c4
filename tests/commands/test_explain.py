"""`explain` prints the page of a check, `list` names every check."""

import json
from pathlib import Path

import pytest

from auditlint.cli import main as cli
from auditlint.lint.registry import all_checks


@pytest.mark.parametrize("word", ["AL301", "al301", "duplicate-rule", "Duplicate-Rule"])
def test_explain_prints_the_page(word: str, capfd: pytest.CaptureFixture[str], root: Path) -> None:
    assert cli.run(["explain", word]) == 0
    assert capfd.readouterr().out == (root / "docs/checks/AL301.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("word", "near"), [("duplicate-rul", "duplicate-rule"), ("AL3O1", "")])
def test_explain_names_the_nearest(word: str, near: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explain", word]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("auditlint: ")
    assert word in said.err
    assert near in said.err
    assert said.err.count("\n") == 1


def test_list_names_every_check(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["list"]) == 0
    head, *lines = capfd.readouterr().out.splitlines()
    assert head.split() == ["code", "name", "severity", "fix", "what"]
    checks = all_checks()
    assert [line.split()[:2] for line in lines] == [[check.code, check.name] for check in checks]
    assert all(line.endswith(check.summary) for line, check in zip(lines, checks, strict=True))


def test_list_for_programs(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["list", "--format", "json"]) == 0
    found = {record["code"]: record for record in json.loads(capfd.readouterr().out)}
    assert found.keys() == {check.code for check in all_checks()}
    assert found["AL301"]["severity"] == "error"
    assert found["AL301"]["fix"] == "safe"
    assert found["AL001"]["fix"] is None
