"""The examples on the pages of the configuration checks: the bad ones are found by that check, the good ones give no
warning at all."""

import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.context.config import config_context
from auditlint.core.settings import Settings
from auditlint.core.source import Source
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import run_checks

CHECKS = [check for check in all_checks() if check.context == "config"]


def findings(text: str, words: str) -> Any:
    options = dict(word.partition("=")[::2] for word in words.split())
    fragment = "fragment" in options
    context = config_context(
        [Source("config", text.encode())],
        Settings(policy=options.get("policy")),
        kernel=options.get("kernel", None if text.startswith("# Linux/") else "6.1"),
        arch=options.get("arch", None if text.startswith("# Linux/") else "x86_64"),
        fragment=fragment,
    )
    return run_checks(context)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_examples(check: Any, root: Path) -> None:
    page = (root / f"docs/checks/{check.code}.md").read_text(encoding="utf-8")
    example = page.partition("## Example\n")[2].partition("\n## ")[0]
    bad, _, good = example.partition("\nGood:\n")
    block = re.compile(r"```config([^\n]*)\n(.*?)```", re.S)
    assert block.search(bad)
    assert block.search(good)
    for words, text in block.findall(bad):
        assert check.code in [found.code for found in findings(text, words)], text
    for words, text in block.findall(good):
        found = findings(text, words)
        assert check.code not in [each.code for each in found], text
        assert not [each for each in found if each.severity != "advice"], text
