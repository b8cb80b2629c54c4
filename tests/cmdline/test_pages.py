"""The examples on the pages of the command line checks: the bad ones are found by that check, the good ones by none."""

import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.bootargs.command_line import read_cmdline
from auditlint.context.cmdline import CmdlineContext
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import run_checks

CHECKS = [check for check in all_checks() if check.context == "cmdline"]


def findings(text: str, kernel: str) -> Any:
    lines = read_cmdline(Source("cmdline", text.encode()))
    return {finding.code for finding in run_checks(CmdlineContext(lines, kernel, "x86_64", DEFAULT))}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_examples(check: Any, root: Path) -> None:
    page = (root / f"docs/checks/{check.code}.md").read_text(encoding="utf-8")
    example = page.partition("## Example\n")[2].partition("\n## ")[0]
    bad, _, good = example.partition("\nGood:\n")
    block = re.compile(r"```cmdline(?: kernel=(\S+))?\n(.*?)```", re.S)
    assert block.search(bad)
    assert block.search(good)
    for kernel, text in block.findall(bad):
        assert check.code in findings(text, kernel or "6.1"), text
    for kernel, text in block.findall(good):
        assert not findings(text, kernel or "6.1"), text
