"""The levels of fixes: what the table and the pages promise is what the checks give."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from auditlint.context.rules import RulesContext
from auditlint.core.facts import UNKNOWN
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import Selection, run_checks
from auditlint.load.program import load_file
from tests.checks.case_tools import build_subject, load_cases

ROOT = Path(__file__).resolve().parent.parent.parent


@lru_cache(maxsize=1)
def given_levels() -> dict[str, set[str]]:
    """The levels that each check gives, on the inputs of all case files."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests/cases").glob("*.toml")):
        for case in load_cases(path):
            for finding in run_checks(build_subject(case), Selection(pedantic=True)):
                if finding.fix is not None:
                    found.setdefault(finding.code, set()).add(finding.fix.level)
    return found


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.code)
def test_table_has_the_levels_that_are_given(check: Any) -> None:
    assert set(check.fixes) == given_levels().get(check.code, set())
    assert list(check.fixes) == sorted(check.fixes, key=("safe", "unsafe").index)


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.code)
def test_page_says_which_level(check: Any) -> None:
    page = (ROOT / f"docs/checks/{check.code}.md").read_text(encoding="utf-8")
    section = re.search(r"^## (?:Fix|How to fix)\n(.*?)(?=^## )", page, re.M | re.S)
    for level in check.fixes:
        assert section is not None
        assert re.search(rf"\b{level}\b", section[1], re.I), f"the page does not say when a fix is {level}"


NONE = {
    "AL222": "-a always,exclude -F euid=0 -F msgtype!=SYSCALL\n",
    "AL213": "-a always,exit -S 2 -k x\n",
    "AL401": "-a always,exit -F arch=b64 -F arch=b64 -S mount -k x\n",
}


@pytest.mark.parametrize("code", NONE)
def test_a_fix_that_would_do_harm_is_not_offered(code: Any) -> None:
    context = RulesContext(load_file(Source("a.rules", NONE[code].encode()), Target(), UNKNOWN), DEFAULT)
    found = run_checks(context, Selection(select=(code,)))
    assert found and all(finding.fix is None for finding in found)
