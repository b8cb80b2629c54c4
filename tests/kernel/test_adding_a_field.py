"""docs/adding-a-field.md, taken at its word: the rows that it shows make a field that every layer handles."""

import json
import re
from pathlib import Path

import pytest

from tests.package_copy import PackageCopy

RULES = "-D\n-b 8192\n-a always,exit -F arch=b64 -S openat -F subj_cat=c5 -F key=cat\n"
BLOCK = re.compile(r'```text title="rulesets/([a-z.]+)"\n(.*?)```', re.DOTALL)


@pytest.fixture
def with_field(package_copy: PackageCopy, root: Path) -> PackageCopy:
    page = (root / "docs/adding-a-field.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    assert [table for table, _ in blocks] == ["fields.tsv", "acceptance.tsv"]
    for table, text in blocks:
        package_copy.write(table, [*package_copy.rows(table), *text.splitlines()])
    (package_copy.folder / "a.rules").write_text(RULES)
    return package_copy


def codes(package: PackageCopy, kernel: str, auditctl: str) -> set[str]:
    done = package.run("check", "--kernel", kernel, "--auditctl", auditctl, "--format", "json", "a.rules")
    assert done.returncode in (0, 1), done.stderr
    return {finding["name"] for finding in json.loads(done.stdout)["findings"] if finding["severity"] == "error"}


def test_the_rule_loads_where_the_page_says(with_field: PackageCopy) -> None:
    assert codes(with_field, "7.4", "4.3") == set()
    assert codes(with_field, "7.3", "4.3") == {"field-not-on-list"}
    assert codes(with_field, "7.4", "4.2") == {"unknown-field"}


def test_every_layer_handles_it(with_field: PackageCopy) -> None:
    target = ("--kernel", "7.4", "--auditctl", "4.3")
    for command in (("parse",), ("cost",), ("cost", "--kernel", "6.12")):
        done = with_field.run(*command, *target, "a.rules")
        assert (done.returncode, done.stderr) == (0, ""), command
    event = '{"arch": "x86_64", "syscall": "openat", "exit": 3, "label": "u:r:t:s0:c5"}'
    (with_field.folder / "event.json").write_text(event)
    done = with_field.run("match", *target, "--event", "event.json", "a.rules")
    assert "Traceback" not in done.stderr


def test_a_word_that_no_layer_knows_is_an_error(with_field: PackageCopy) -> None:
    """The test that holds the layers together names each of them."""
    rows = with_field.rows("fields.tsv")
    with_field.write("fields.tsv", [*rows[:-1], rows[-1].replace("subject-label", "new-word")])
    program = (
        "from auditlint.auditctl.field_table import field_facts\n"
        "from auditlint.cost.fields import FORMULAS\n"
        "from auditlint.kernel.acceptance import CHECKS\n"
        "from auditlint.kernel.constraints import COLLECTORS\n"
        "from auditlint.kernel.fields import TESTS\n"
        "word = field_facts()['subj_cat'].test\n"
        "print([word in table for table in (CHECKS, TESTS, COLLECTORS, FORMULAS)])\n"
    )
    assert with_field.python("-c", program).stdout == "[False, False, False, False]\n"
    done = with_field.run("cost", "--kernel", "7.4", "--auditctl", "4.3", "a.rules")
    assert done.returncode != 0
    assert "new-word" in done.stderr
