"""One language: messages, help texts, fix titles, summaries and pages use none of the words that words.toml refuses.

The words are data, and so is the list of files that are not yet rewritten; words.toml says how to shorten it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from auditlint.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS: dict[str, Any] = tomllib.loads((ROOT / "tests/docs/words.toml").read_text())
REFUSED = [(re.compile(row["pattern"]), row) for row in WORDS["refused"]]
FENCE = re.compile(r"^```.*?^```$|<!--.*?-->", re.M | re.S)


@dataclass(frozen=True)
class Text:
    """A text that users read: the file that the to-do list names, its line, its words."""

    where: str
    line: int
    words: str


def _docstrings(tree: ast.AST) -> set[int]:
    return {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in (getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else None) or []
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }


def texts_of_module(path: Path) -> Iterator[Text]:
    """The string constants of a module that hold a blank, so that no name is one; `{}` for what is filled in."""
    tree = ast.parse(path.read_text())
    skipped = _docstrings(tree)
    where = str(path.relative_to(ROOT))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            skipped |= {id(part) for part in parts}
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield Text(where, node.lineno, words)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in skipped:
            continue
        if isinstance(node.value, str) and " " in node.value:
            yield Text(where, node.lineno, node.value)


def texts_of_page(path: Path) -> Iterator[Text]:
    """The sentences of a page, without its code blocks: those quote rule files, or what the program prints."""
    prose = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), path.read_text())
    for line, words in enumerate(prose.splitlines(), 1):
        yield Text(str(path.relative_to(ROOT)), line, words)


def summaries() -> Iterator[Text]:
    """The summaries of the checks, named `rulesets/checks.tsv: FAMILY`."""
    rows = (ROOT / "rulesets/checks.tsv").read_text().splitlines()
    heads = next(row for row in rows if row.startswith("# every check:"))
    column = re.sub(r"\([^)]*\)", "", heads.partition(":")[2])
    place = [name.split()[0] for name in column.split(",")].index("summary")
    for line, row in enumerate(rows, 1):
        if not row.startswith("#"):
            cells = row.split("\t")
            yield Text(f"rulesets/checks.tsv: {cells[2]}", line, cells[place])


def help_texts() -> Iterator[Text]:
    """What each command prints with --help, one line for each text of argparse."""
    for name in ("", *main.COMMANDS):
        command = [sys.executable, "-m", "auditlint", *([name] if name else []), "--help"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
        yield Text(f"auditlint {name} --help", 1, " ".join(printed.split()))


def every_text() -> list[Text]:
    modules = sorted((ROOT / "auditlint").rglob("*.py"))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = [text for path in modules for text in texts_of_module(path)]
    texts += [text for path in pages for text in texts_of_page(path)]
    return [*texts, *summaries(), *help_texts()]


def matches(where: str, patterns: list[str]) -> bool:
    return any(fnmatch(where, pattern) for pattern in patterns)


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return every_text()


def test_every_kind_of_text_is_collected(texts: list[Text]) -> None:
    """Were one of the collectors to read nothing, the next test would pass without looking."""
    places = {text.where for text in texts}
    for place in ("auditlint/cli/main.py", "README.md", "rulesets/checks.tsv: rule", "auditlint check --help"):
        assert place in places
    assert len(texts) > 3000


def test_no_text_uses_a_refused_word(texts: list[Text]) -> None:
    faults = [
        f"{text.where}:{text.line}: {match[0]!r} in {text.words.strip()[:160]!r}; write for example {row['better']!r}"
        for text in texts
        if not matches(text.where, WORDS["todo"] + WORDS["exempt"])
        for pattern, row in REFUSED
        if (match := pattern.search(text.words)) and not matches(text.where, row.get("not_in", []))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("row", WORDS["refused"], ids=lambda row: str(row["today"]))
def test_a_refused_word_is_caught_and_what_is_better_is_not(row: dict[str, Any]) -> None:
    assert re.search(row["pattern"], row["today"])
    assert not [other["pattern"] for other in WORDS["refused"] if re.search(other["pattern"], row["better"])]


def test_the_list_names_no_file_that_is_gone(texts: list[Text]) -> None:
    places = {text.where for text in texts}
    assert not [pattern for pattern in WORDS["todo"] if not any(fnmatch(place, pattern) for place in places)]
