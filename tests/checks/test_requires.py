"""The `when` column of the table only saves imports: no check says more without it."""

from pathlib import Path
from typing import Any

import pytest

from auditlint.context.rules import RulesContext
from auditlint.core.facts import UNKNOWN
from auditlint.core.frozen import replace
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import Selection, run_checks
from auditlint.load.program import load_file
from tests.checks.case_tools import build_subject, load_cases

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted((ROOT / "tests/cases").glob("*.toml"))
EVERYTHING = Selection(pedantic=True)


def both(monkeypatch: pytest.MonkeyPatch, make: Any) -> Any:
    """The findings of all checks, as the table says and with every `requires` widened."""
    usual = run_checks(make(), EVERYTHING)
    always = tuple(replace(check, requires=frozenset("*")) for check in all_checks())
    with monkeypatch.context() as patched:
        patched.setattr("auditlint.lint.runner.all_checks", lambda: always)
        return said(usual), said(run_checks(make(), EVERYTHING))


def said(findings: Any) -> Any:
    return [(each.code, each.at.source.path, each.at.span, each.message, each.severity) for each in findings]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case_files(monkeypatch: pytest.MonkeyPatch, path: Any) -> None:
    for case in load_cases(path):
        usual, wide = both(monkeypatch, lambda case=case: build_subject(case))
        assert usual == wide, case.id


@pytest.mark.slow
@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_public_files(monkeypatch: pytest.MonkeyPatch, shared: Path, auditctl: str) -> None:
    for path in sorted((shared / "corpus/rules").iterdir()):
        source = Source(path.name, path.read_bytes())
        target = Target(auditctl=auditctl)
        usual, wide = both(monkeypatch, lambda: RulesContext(load_file(source, target, UNKNOWN), DEFAULT))  # noqa: B023
        assert usual == wide, path.name
