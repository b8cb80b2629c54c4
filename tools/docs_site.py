"""What the documentation site adds to docs/ when it is built (a hook of MkDocs, named in mkdocs.yml).

The changelog and the contributor's page are copied into the site. A folder in the navigation (`checks/`, `pipelines/`)
stands for all its pages. `python -m tools.docs_site` writes the made parts of pages into the checkout: the table of all
checks from `rulesets/checks.tsv`, and the options of every command from their parsers.
"""

from __future__ import annotations

import re
from pathlib import Path

from auditlint.cli.main import COMMANDS
from auditlint.lint.registry import all_checks
from tools.shell_files import parsers

ROOT = Path(__file__).resolve().parent.parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from auditlint.lint.registry import Check

COPIES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}

GROUPS = (
    ("AL0", "Loading and files"),
    ("AL1", "The language"),
    ("AL2", "What one rule means"),
    ("AL3", "Rules together"),
    ("AL4", "Coverage and profiles"),
    ("AL5", "Cost"),
    ("AL6", "Safety and operation"),
    ("AL7", "Faults of kernels"),
    ("AL80 AL81 AL82", "Kernel configurations"),
    ("AL85", "Kernel command lines"),
    ("AL87 AL88", "Parts that disagree"),
    ("AL9", "Style"),
)
"""Beginnings of codes, and the heading of the checks that have one of them."""


def groups() -> Iterator[tuple[str, list[Check]]]:
    """Every check once, under its heading, in the order of the codes."""
    for codes, title in GROUPS:
        yield title, [check for check in all_checks() if check.code.startswith(tuple(codes.split()))]


def facts(check: Check) -> str:
    """Severity, fix and what else a reader wants to know first, in one line."""
    words = [check.severity, f"{check.fix} fix" if check.fix else "no fix"]
    if check.pedantic:
        words.append("only with `--pedantic`")
    return " · ".join([*words, f"since {check.since}"])


def table(checks: list[Check]) -> str:
    rows = [
        f"| [{check.code}]({check.code}.md) | {check.name} | {check.severity}{', pedantic' if check.pedantic else ''} "
        f"| {check.fix or ''} | {_cell(check.summary)} |"
        for check in checks
    ]
    return "\n".join(["| code | name | severity | fix | says |", "|---|---|---|---|---|", *rows])


def check_tables() -> str:
    """The checks by group, for docs/checks/index.md."""
    return "\n\n".join(f"## {title}\n\n{table(checks)}" for title, checks in groups())


def command_tables() -> str:
    """Commands with their options, for docs/commands.md."""
    parts = []
    for name, parser in parsers().items():
        usage = re.sub(r"^usage: ", "", parser.format_usage()).strip()
        usage = "\n".join(line.strip() for line in usage.splitlines())
        rows = ["| option | meaning |", "|---|---|"]
        for action in parser._actions:
            words = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            if action.option_strings and action.nargs != 0:
                words += " " + str(action.metavar or "|".join(map(str, action.choices or ["VALUE"])))
            what = parser._get_formatter()._expand_help(action) if action.help else ""
            rows.append(f"| `{_cell(words)}` | {_cell(' '.join(what.split()))} |")
        parts.append(f"## {name}\n\n{COMMANDS[name][:1].upper()}{COMMANDS[name][1:]}.\n\n```text\n{usage}\n```\n\n")
        parts[-1] += "\n".join(rows)
    return "\n\n".join(parts)


GENERATED = {"docs/checks/index.md": ("checks", check_tables), "docs/commands.md": ("commands", command_tables)}
"""Pages with a part that is made: the name of its marker, and what makes it. A test compares."""


def regenerated(name: str) -> str:
    """A page of GENERATED with its made part, the text after the marker, made anew."""
    marker, make = GENERATED[name]
    page = (ROOT / name).read_text(encoding="utf-8")
    head = page.partition(f"<!-- {marker} -->")[0]
    return f"{head}<!-- {marker} -->\n\n{make()}\n"


def main() -> None:
    """Write the made parts into the pages."""
    for name in GENERATED:
        (ROOT / name).write_text(regenerated(name), encoding="utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def fences(text: str) -> str:
    """Fence lines as the site's Markdown wants them: the language, and the name of the file as a title."""

    def line(found: re.Match[str]) -> str:
        name = re.search(r" file=(\S+)", found[3])
        return found[1] + found[2] + (f' title="{name[1]}"' if name else "")

    return re.sub(r"^( *```)([\w-]+)([^\n`]*)$", line, text, flags=re.MULTILINE)


def cells(text: str) -> str:
    """Tables as the site's Markdown wants them: a bar in code is no end of a cell, and its backslash would be seen."""

    def row(found: re.Match[str]) -> str:
        return re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), found[0])

    return re.sub(r"^\|.*$", row, text, flags=re.MULTILINE)


# What MkDocs calls.


def on_config(config: Any) -> Any:
    config["nav"] = [_expanded(entry) for entry in config["nav"]]
    return config


def _expanded(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    ((title, what),) = entry.items()
    if isinstance(what, list):
        return {title: [each for part in what for each in _pages(part)]}
    return {title: what}


def _pages(part: Any) -> list[Any]:
    """A folder stands for its pages; that of the checks for a section for each group."""
    if part == "checks/":
        return [{title: [f"checks/{check.code}.md" for check in checks]} for title, checks in groups()]
    if isinstance(part, str) and part.endswith("/"):
        found = sorted((ROOT / "docs" / part).glob("*.md"))
        return [f"{part}{path.name}" for path in found if path.name != "index.md"]
    return [_expanded(part)]


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for name, source in COPIES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_more: Any) -> str:
    path = page.file.src_uri
    if re.fullmatch(r"checks/AL\d+\.md", path):
        check = next(check for check in all_checks() if path == f"checks/{check.code}.md")
        title, _, rest = markdown.partition("\n")
        markdown = f"{title}\n\n<small>{facts(check)}</small>\n{rest}"
    for name, source in COPIES.items():
        markdown = re.sub(rf"\]\((\.\./)+{source}", f"]({'../' * path.count('/')}{name}", markdown)
    return cells(fences(markdown))


if __name__ == "__main__":
    main()
