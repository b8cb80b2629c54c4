"""What the site adds to the documents; `.ci/run` builds it."""

import re
from pathlib import Path

import pytest

from auditlint.cli.main import COMMANDS
from auditlint.lint.registry import all_checks
from tools import docs_site, shell_files

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_check_is_in_one_group() -> None:
    found = [check.code for _, checks in docs_site.groups() for check in checks]
    assert found == [check.code for check in all_checks()]
    assert re.findall(r"\(AL(\d+)\.md\)", docs_site.check_tables()) == [code[2:] for code in found]


def test_every_command_with_its_options() -> None:
    text = docs_site.command_tables()
    assert re.findall(r"^## (\w+)$", text, re.M) == list(COMMANDS)
    cost = text.partition("\n## cost\n")[2].partition("\n## ")[0]
    assert "| `--against OTHER` | " in cost
    with_kernel = {
        name for name, parser in shell_files.parsers().items() if "--kernel" in parser._option_string_actions
    }
    assert len(re.findall(r"^\| `--kernel LINE` \|", text, re.M)) == len(with_kernel) > 5


@pytest.mark.parametrize("name", docs_site.GENERATED)
def test_made_parts_of_pages_are_up_to_date(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert docs_site.regenerated(name) == page, "python -m tools.docs_site writes them"


def test_fences_name_their_files() -> None:
    text = "```rules file=a.rules\n-D\n```\n\n```text shown\nx\n```\n\n```console\n$ ls\n```\n"
    assert docs_site.fences(text) == ('```rules title="a.rules"\n-D\n```\n\n```text\nx\n```\n\n```console\n$ ls\n```\n')


def test_bars_in_code_keep_no_backslash() -> None:
    assert docs_site.cells("| `a\\|b` | c\\|d |\n\n`e\\|f`\n") == "| `a|b` | c\\|d |\n\n`e\\|f`\n"


def test_a_folder_in_the_navigation_stands_for_its_pages() -> None:
    ((title, pages),) = docs_site._expanded({"Pipelines": ["pipelines/"]}).items()
    assert title == "Pipelines"
    assert pages == sorted(f"pipelines/{path.name}" for path in (ROOT / "docs/pipelines").glob("*.md"))
    ((_, sections),) = docs_site._expanded({"Checks": ["checks/index.md", "checks/"]}).items()
    assert sections[0] == "checks/index.md"
    assert {"Cost": [f"checks/AL{number}.md" for number in range(501, 521)]} in sections
