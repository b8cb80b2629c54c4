"""The examples on the pages of the checks of parts together: the bad ones are found, the good ones are not."""

import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.data import rows
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.frozen import replace
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import run_checks
from tests.checks.case_subjects import together_from_case

CHECKS = [check for check in all_checks() if check.context == "together"]
NAMES = {"config": "config", "cmdline": "cmdline", "rules": "10-a.rules"}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_examples(check: Any, root: Path) -> None:
    page = (root / f"docs/checks/{check.code}.md").read_text(encoding="utf-8")
    example = page.partition("## Example\n")[2].partition("\n## ")[0]
    for expected, text in zip((True, False), example.split("\nGood:\n"), strict=True):
        blocks = re.findall(r'```(\w+)(?: title="([^"]+)")?\n(.*?)```', text, re.S)
        assert blocks
        facts = UNKNOWN
        if "without audit programs" in text:
            facts = Facts(paths_missing=frozenset(path for path, _ in rows("audit-programs.tsv")))
        target = {"kernel": "3.10" if "(3.10" in text else "6.1", "machine": "x86_64"}
        sources = [Source(f"image/{title}" if title else NAMES[kind], body.encode()) for kind, title, body in blocks]
        settings = replace(DEFAULT, policy="audit" if "--policy audit" in example else None)
        context = together_from_case(sources, {"target": target}, settings, facts)
        assert (check.code in [found.code for found in run_checks(context)]) is expected
