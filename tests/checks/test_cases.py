"""Every check against its case file: `tests/cases/CODE.toml`.

[[bad]]                      # the check must say something, exactly on these places
rules = "..."                # one file; or [bad.files] with names for rules.d; config = / cmdline =
at = [3, "10-a.rules:2"]     # lines, with the file where there are several
message = "..."              # optional: words of the (first) message
severity = "warning"         # optional: the severity of the first finding
target = { kernel = "6.1", machine = "x86_64", auditctl = "3.0.9" }   # optional
facts = { users_missing = ["ntp"] }                                    # optional, as in --facts
settings = { ... }           # optional, as in auditlint.toml
repeat = { "{y}" = ["y", 6140] }   # optional: a word of the text that stands for a part so many times
why = "..."                  # what the case is about

[[good]]                     # the check must stay quiet
[[fix]]                      # after the fix of the finding the file is `fixed`
rules = "..."
fixed = "..."
level = "safe"
"""

import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.lint.registry import all_checks
from tests.checks.case_tools import Case, load_cases, run_case

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = [case for path in sorted((ROOT / "tests/cases").glob("*.toml")) for case in load_cases(path)]

TEMPLATE = {
    "What it reports": "",
    "Why it matters": "",
    "Example": "Bad: and Good:, each with a block that the tests run",
    "How to fix": "also what --fix does",
    "When it is silent": "where the check looks and says nothing",
    "Sources": "",
}.keys()
"""The sections of the page of a check, in this order."""


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case: Case) -> None:
    findings = run_case(case)
    if case.kind == "good":
        assert findings == [], case.explain(findings)
        return
    if case.kind == "fix":
        assert findings, case.explain(findings)
        assert case.apply(findings) == case.fixed, case.explain(findings)
        return
    assert [case.place(finding) for finding in findings] == case.at, case.explain(findings)
    assert case.message in findings[0].message
    if case.severity:
        assert findings[0].severity == case.severity


def test_four_sets_agree() -> None:
    """A check is a module, a row of the table, a case file and a page: none may be missing."""
    checks = all_checks()
    codes = {check.code for check in checks}
    assert [check.code for check in checks] == sorted(codes), "rulesets/checks.tsv is sorted by code"
    assert len({check.name for check in checks}) == len(checks)
    assert {path.stem for path in (ROOT / "tests/cases").glob("*.toml")} == codes
    assert {path.stem for path in (ROOT / "docs/checks").glob("AL*.md")} == codes
    folder = ROOT / "auditlint/checks"
    modules = {f"auditlint.checks.{path.parent.name}.{path.stem}" for path in folder.glob("*/*.py")}
    assert {check.module for check in checks} == {name for name in modules if not name.endswith(".__init__")}


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.code)
def test_case_file_has_bad_and_good(check: Any) -> None:
    kinds = {case.kind for case in CASES if case.code == check.code}
    assert {"bad", "good"} <= kinds


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.code)
def test_page_names_the_check(check: Any) -> None:
    page = (ROOT / f"docs/checks/{check.code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {check.code} {check.name}\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == list(TEMPLATE)
    example = page.partition("\n## Example\n")[2].partition("\n## ")[0]
    assert re.search(r"^Bad.*?^Good", example, re.MULTILINE | re.DOTALL), f"{check.code}: bad first, then good"


def test_coverage_page_names_checks() -> None:
    page = (ROOT / "docs/checks/coverage.md").read_text(encoding="utf-8")
    names = {check.code: check.name for check in all_checks()}
    assert [(code, name) for code, name in re.findall(r"(AL\d{3}) ([a-z0-9-]+)", page) if names.get(code) != name] == []


def test_a_failing_case_says_where_and_what(tmp_path: Path) -> None:
    """The collector: file and line of the case, the numbered rules, what was expected and what was found."""
    (tmp_path / "AL901.toml").write_text(
        '# a comment\n\n[[good]]\nwhy = "two watches"\nrules = "-w /a -p r -k x\\n-w /b -p r\\n"\n'
    )
    (case,) = load_cases(tmp_path / "AL901.toml")
    assert case.id == "AL901-good-two-watches"
    said = case.explain(run_case(case)).splitlines()
    assert said[:4] == [
        "tests/cases/AL901.toml:3: [[good]] two watches",
        "audit.rules:",
        "    1 -w /a -p r -k x",
        "    2 -w /b -p r",
    ]
    assert said[-2] == "expected: no finding"
    assert said[-1].startswith("found:")
    assert "key" in said[-1]
