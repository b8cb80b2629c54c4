"""What the documents show on a terminal, done and compared.

A page is a walk from its first block to its last, in one folder of its own that is empty at the start:

    ```text file=a.rules         writes that file; the same name again replaces it
    ```console                   lines with `$ ` are run by sh, what stands behind them is all that they print

A comment of one line in front of a block, not seen on the page, says what is special:

    <!-- not run: REASON -->     listed in test_console.py, so that the list cannot grow unnoticed
    <!-- needs: git pre-commit -->   programs; the walk is skipped where one is not installed

and anywhere on the page:

    <!-- here: examples -->      the folder holds that file or folder of the checkout
    <!-- beside: auditlint -->   `../auditlint` is a Git repository with the checkout's files

    python -m tests.docs.console [PAGE]...     does the walks and writes what comes out into the pages
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
END = "\x1e\n"
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>not run|needs): (?P<why>[^\n]*) -->\n)?^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.M | re.S
)
PLACE = re.compile(r"^<!-- (here|beside): (\S+) -->$", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language and words, its text with where that begins, and the comment in front."""

    info: str
    body: str
    start: int
    note: str | None
    why: str

    @property
    def language(self) -> str:
        return self.info.split(" ")[0]

    @property
    def file(self) -> str | None:
        found = re.search(r" file=(\S+)", self.info)
        return found and found[1]


def pages() -> list[str]:
    """Every document, by its place in the checkout."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def blocks(text: str) -> list[Block]:
    return [
        Block(found["info"], found["body"], found.start("body"), found["note"], found["why"] or "")
        for found in BLOCK.finditer(text)
    ]


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the text behind it. Lines with `> ` go on with a command."""
    found: list[list[str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += line[2:]
        elif not found:
            raise ValueError(f"text in front of the first command: {line!r}")
        else:
            found[-1][1] += line
    return [(command, output) for command, output in found]


def is_walk(text: str) -> bool:
    return any(block.language == "console" and block.note != "not run" for block in blocks(text))


def needs(text: str) -> list[str]:
    """Programs without which the walk cannot be done."""
    found = [word for block in blocks(text) if block.note == "needs" for word in block.why.split()]
    return sorted(set(found) | ({"git"} if ("beside", "auditlint") in PLACE.findall(text) else set()))


def walk(text: str, place: Path) -> str:
    """The page with what its commands really print. `place` is an empty folder, everything stays in it."""
    folder = place / "work"
    folder.mkdir()
    environment = _environment(place)
    for kind, name in PLACE.findall(text):
        if kind == "here" and (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        elif kind == "here":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        else:
            _clone(place / name, environment)
    parts = []
    end = 0
    for block in blocks(text):
        if block.note == "not run":
            continue
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.language == "console":
            parts += [text[end : block.start], _run(block.body, folder, environment)]
            end = block.start + len(block.body)
    return "".join([*parts, text[end:]])


def _run(body: str, folder: Path, environment: dict[str, str]) -> str:
    """The block again. One shell does all commands, so that `$?` is there; it sees no terminal and no input."""
    wanted = [command for command, _ in commands(body)]
    script = "exec 2>&1 </dev/null\n"
    for command in wanted:
        script += f"{command}_status=$?; printf '\\036\\n'; (exit $_status)\n"
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    printed = done.stdout.split(END)
    if len(printed) != len(wanted) + 1:
        raise ValueError(f"a command ends the shell: {done.stdout}")
    shown = ["$ " + command.rstrip("\n").replace("\n", "\n> ") + "\n" for command in wanted]
    return "".join(command + _lines(output) for command, output in zip(shown, printed, strict=False))


def _lines(output: str) -> str:
    return output + "\n" if output and not output.endswith("\n") else output


def _environment(place: Path) -> dict[str, str]:
    """A PATH on which `auditlint` is this checkout, and nothing of the user's settings, of the time or the place."""
    tools = place / "tools"
    tools.mkdir()
    # Builds clear the environment; bytecode must not come to lie in the checkout.
    variables = f"PYTHONPATH={shlex.quote(str(ROOT))} PYTHONDONTWRITEBYTECODE=1"
    (tools / "auditlint").write_text(f'#!/bin/sh\n{variables} exec {shlex.quote(sys.executable)} -m auditlint "$@"\n')
    (tools / "auditlint").chmod(0o755)
    (place / "gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")
    date = "2026-01-05T12:00:00 +0000"
    settings = ("ANSIBLE", "DEB_", "DH_", "GIT_", "PRE_COMMIT", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    return {
        **kept,
        "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ANSIBLE_HOME": str(place / "ansible"),
        "ANSIBLE_REMOTE_TEMP": str(place / "ansible/tmp"),
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "GIT_CONFIG_GLOBAL": str(place / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
        "PRE_COMMIT_HOME": str(place / "pre-commit"),
        "PRE_COMMIT_COLOR": "never",
    }


def _files() -> list[str]:
    """The files of the checkout, committed or not; none where it is no Git repository."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return [name for name in done.stdout.split("\0") if name]


def _clone(place: Path, environment: dict[str, str]) -> None:
    """A repository with the files of the checkout as they are now, committed or not."""

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=place, env=environment, capture_output=True, check=True)

    for name in _files():
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "auditlint")


def lacking(text: str) -> list[str]:
    """What the walk needs and is not there: programs, or a checkout that Git knows."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = [name for name in needs(text) if shutil.which(name, path=path) is None]
    if not found and ("beside", "auditlint") in PLACE.findall(text) and not _files():
        found.append("a Git checkout")
    return found


def main(names: list[str]) -> int:
    status = 0
    for name in names or pages():
        text = Path(ROOT / name).read_text(encoding="utf-8")
        if not is_walk(text):
            continue
        if lacking(text):
            print(f"{name}: left as it is, needs {', '.join(lacking(text))}")
            continue
        with tempfile.TemporaryDirectory() as place:
            new = walk(text, Path(place))
        if place in new:
            print(f"{name}: left as it is, its output names the folder it runs in (or a command fails):\n{new}")
            status = 1
        elif new != text:
            print(f"{name}: written")
            Path(ROOT / name).write_text(new, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
