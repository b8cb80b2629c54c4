"""The examples of the pages are true: the check says something about the bad one and nothing about the good one.

Notes behind `Bad` and `Good` give options (`--auditctl 3.0.9`) and facts. Examples marked `shown` cannot be written
as they are (bytes, lengths, several files); the case files have them.
"""

import re
from typing import Any

import pytest

from auditlint.core.data import parse_toml, read_text
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import Selection, run_checks
from tests.checks.case_tools import Case

EXAMPLE = re.compile(r"^(Bad|Good)([^\n]*):\n\n```text\n(.*?)\n```", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"--(kernel|machine|auditctl) ([\w.]+)")
FACTS = re.compile(r"with the facts `([^`]+)`")
PAGES = [check for check in all_checks() if check.context in ("rules", "suppressions") and check.code[2] in "01234679"]


@pytest.mark.parametrize("check", PAGES, ids=lambda check: check.code)
def test_examples(check: Any) -> None:
    from tests.checks.case_tools import build_subject

    page = read_text(f"pages/{check.code}.md")
    examples = EXAMPLE.findall(page)
    assert len(examples) == 2 or "```text shown" in page
    for word, note, text in examples:
        body = {"rules": text + "\n", "target": dict(OPTION.findall(note)), "subject": check.context}
        profile = re.search(r"--profile ([\w-]+)", note)
        if profile:
            body["settings"] = {"profile": profile[1]}
        found = FACTS.search(note)
        if found:
            body["facts"] = parse_toml(found[1])
        case = Case(check.code, word, 1, body)
        findings = run_checks(build_subject(case), Selection(select=(check.code,)))
        assert bool(findings) == (word == "Bad"), (word, [finding.message for finding in findings])
