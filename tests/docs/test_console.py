"""Every command in the documents is run and prints what is shown; what cannot be run is listed here with the reason."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import COMMANDS
from tests.docs import console
from tools import shell_files

PAGES = {name: (console.ROOT / name).read_text(encoding="utf-8") for name in console.pages()}

NOT_RUN = {
    "CONTRIBUTING.md": [
        "takes long and prints times",
        "writes into the checkout",
        "builds the site; .ci/run does it",
        "takes long",
        "takes long",
    ],
    "README.md": ["installs from the network; .ci/run does it"],
    "docs/adding-a-check.md": ["prints times; .ci/run runs all tests"],
    "docs/replay-fleet.md": ["needs the extra dask"],
    "docs/laboratory.md": [
        *["boots a virtual machine; tests/laboratory does it"] * 2,
        "needs a file of measurements; tests/cost/test_data.py does it",
        "boots a virtual machine; tests/laboratory does it",
    ],
    "docs/pipelines/image.md": ["needs a mirror of Debian; tests/pipelines/test_images.py does it"],
    "docs/releasing.md": ["fetches packages; tests/release/test_release.py does it"],
    "docs/install.md": ["installs from the network; .ci/run does it"],
}
"""Blocks that the tests do not run. Add to this list only what cannot be done in a folder without a network."""

SHELLS = {"", "bash", "shell", "shell-session", "zsh"}
"""Languages of blocks that would hide commands from the tests."""

WALKS = [
    pytest.param(
        name, marks=[pytest.mark.slow, pytest.mark.real] if set(console.needs(text)) - {"git"} else [], id=name
    )
    for name, text in PAGES.items()
    if console.is_walk(text)
]


@pytest.mark.parametrize("name", WALKS)
def test_page_shows_what_is_printed(name: Any, tmp_path: Path) -> None:
    text = PAGES[name]
    if console.lacking(text):
        pytest.skip(f"not installed: {' '.join(console.lacking(text))}")
    assert console.walk(text, tmp_path) == text, "python -m tests.docs.console writes what is printed into the page"


def test_what_is_not_run_is_listed() -> None:
    found = {
        name: [block.why for block in console.blocks(text) if block.note == "not run"] for name, text in PAGES.items()
    }
    assert {name: reasons for name, reasons in found.items() if reasons} == NOT_RUN


@pytest.mark.parametrize("name", PAGES)
def test_commands_stand_in_console_blocks(name: Any) -> None:
    """A command in another kind of block would be neither run nor listed."""
    text = PAGES[name]
    for block in console.blocks(text):
        if block.language == "sh":
            assert block.file, "commands stand in ```console blocks, behind `$ `"
        elif block.language != "console":
            assert block.language not in SHELLS, block.body
            assert block.file or not re.search(r"^\$ ", block.body, re.M), block.body
    rest = console.BLOCK.sub("", text)
    assert "```" not in rest
    assert re.findall(r"^ {4,}(?:\$ |\S*auditlint |\S*python\S* |\S*pip |git |pre-commit ).*", rest, re.M) == []


def known_words() -> Iterator[Any]:
    for name, parser in shell_files.parsers().items():
        yield name, {word for action in parser._actions for word in action.option_strings} | {"--argv"}


@pytest.mark.parametrize("name", PAGES)
def test_commands_in_sentences_exist(name: Any) -> None:
    options = dict(known_words())
    for said in re.findall(r"`auditlint ([^`]+)`", console.BLOCK.sub("", PAGES[name])):
        first, *words = said.split()
        command = first if first in COMMANDS else "check"
        if first.startswith("--"):
            assert first in ("--version", "--help"), said
            continue
        assert first in COMMANDS or re.search(r"[./A-Z]|^-$", first), said
        assert set(re.findall(r"--[a-z][a-z-]*", " ".join(words))) <= options[command], said


def test_files_of_the_checkout_exist() -> None:
    """What a sentence calls `tests/...` or `rulesets/...` is there; words in capitals stand for names."""
    folders = "auditlint|benchmarks|docs|examples|grammars|rulesets|tests|tools"
    for name, text in PAGES.items():
        for said in re.findall(rf"`(?:python )?((?:{folders}|\.ci)/[\w./-]*)`", console.BLOCK.sub("", text)):
            if not re.search(r"[A-Z]{4}", said):
                assert (console.ROOT / said).exists(), (name, said)


def test_modules_of_the_architecture_exist() -> None:
    modules = {str(path.relative_to(console.ROOT)) for path in console.ROOT.glob("auditlint/**/*.py")}
    named = re.findall(r"`([a-z_/]+\.py)`", PAGES["docs/architecture.md"])
    assert len(named) > 40
    missing = [name for name in named if not any(module.endswith("/" + name) for module in modules)]
    assert [name for name in missing if not (console.ROOT / name).exists()] == []


def test_links_lead_somewhere() -> None:
    """Seen in the repository; `mkdocs build --strict` holds those of the site."""
    for name, text in PAGES.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", console.BLOCK.sub("", text)):
            if "://" not in target and not target.startswith("#"):
                assert ((console.ROOT / name).parent / target.partition("#")[0]).exists(), (name, target)


def table_of_the_readme() -> Any:
    return re.findall(r"^\| (.+) \| (`.+`) \| (\S+) \|$", PAGES["README.md"], re.M)


def test_table_of_the_readme() -> None:
    """Interface, command, tested by: the test is there, and no command and no report form is left out."""
    rows = table_of_the_readme()
    assert [test for _, _, test in rows if not (console.ROOT / test).is_file()] == []
    shown = " ".join(command for _, command, _ in rows)
    assert [command for command in COMMANDS if f"auditlint {command}" not in shown] == []
    for form in ("text", "json", "sarif", "github", "gitlab", "junit"):
        assert form in " ".join(interface.lower() for interface, _, _ in rows), form


SAMPLE = """
```text file=a.txt
one
```

```console
$ cat a.txt; false
two
$ echo $?
$ cat <<END
> $HOME
> END
```

<!-- not run: no reason -->
```console
$ exit 1
```
"""


def test_walk_writes_what_is_printed(tmp_path: Path) -> None:
    expected = (
        SAMPLE.replace("two", "one").replace("$ echo $?\n", "$ echo $?\n1\n").replace("> END\n", f"> END\n{tmp_path}\n")
    )
    assert console.walk(SAMPLE, tmp_path) == expected


def test_needs() -> None:
    assert console.needs("<!-- needs: git sh -->\n```console\n$ ls\n```\n") == ["git", "sh"]
    assert console.lacking("<!-- needs: no-such-program -->\n```console\n$ ls\n```\n") == ["no-such-program"]
