"""What a start loads: measured, these imports are most of what a short run costs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOADED = """
import os, sys
before = set(sys.modules)
sys.path.insert(0, sys.argv.pop(1))
sys.argv[0] = "auditlint"
from auditlint.__main__ import main
os._exit = int  # what ends the process: here there is more to say
main()
sys.stderr.write("\\n" + " ".join(sorted(set(sys.modules) - before)))
"""
START = {
    "__future__",
    "auditlint",
    "auditlint.__main__",
    "auditlint.cli",
    "auditlint.cli.main",
    "auditlint.core",
    "auditlint.core.errors",
    "gc",
}
"""All that --version and --help may load."""
HEAVY = [
    "ast",
    "asyncio",
    "base64",
    "concurrent",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "hashlib",
    "html",
    "http",
    "inspect",
    "json",
    "kconfiglib",
    "lark",
    "logging",
    "lzma",
    "multiprocessing",
    "pathlib",
    "pickle",
    "pkgutil",
    "platform",
    "random",
    "shutil",
    "socket",
    "ssl",
    "statistics",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "tomli",
    "tomllib",
    "traceback",
    "typing",
    "unittest",
    "urllib",
    "xml",
    "zipfile",
]
"""What no rule file, good or bad, needs for a report as text."""


def loaded(folder: Any, *words: Any) -> set[str]:
    """Modules that a process with these words loads beyond those of Python's start (-I -S: no site, nothing of the
    environment that could have loaded them before)."""
    done = subprocess.run(
        [sys.executable, "-B", "-I", "-S", "-c", LOADED, str(ROOT), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("word", ["--version", "--help", "-h"])
def test_version_and_help_load_nothing(word: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, word) - {"importlib._bootstrap", "importlib._bootstrap_external"} == START


@pytest.fixture
def rules(tmp_path: Path) -> Any:
    """A file with errors, warnings, advice, fixes and suggestions."""
    (tmp_path / "a.rules").write_text(
        "-D\n-w /etc/passwd -p wa -k identity\n-w /etc/passwd -p wa -k identity\n-a always,exit -S mount -k m\n"
        "-a always,exit -F arch=b64 -S openat -F auid=4294967295 -F exe=/bin/x -k e\n-w relative -p wz\n"
    )
    (tmp_path / "good.rules").write_text("-D\n-b 8192\n-w /etc/passwd -p wa -k identity\n")
    return tmp_path


def roots(found: Any) -> Any:
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("words", [["a.rules"], ["good.rules"], ["."]], ids=" ".join)
def test_check_of_rules_loads_nothing_heavy(words: list[str], rules: Any) -> None:
    found = loaded(rules, "check", *words)
    assert "auditlint.lint.runner" in found
    assert roots(found).isdisjoint(HEAVY)
    assert {name for name in found if name.startswith(("auditlint.kconfig", "auditlint.cli.commands"))} == {
        "auditlint.cli.commands",
        "auditlint.cli.commands.check",
    }


def test_the_test_sees_what_is_loaded(rules: Any) -> None:
    assert {"json", "auditlint.reports.json"} <= loaded(rules, "check", "--format", "json", "good.rules")
    (rules / "f.config").write_text("CONFIG_AUDIT=y\n")
    assert "auditlint.kconfig" in loaded(rules, "check", "--kind", "fragment", "f.config")
    (rules / "auditlint.toml").write_text("kernel = '6.1'\n")
    if sys.version_info >= (3, 11):  # before, it is a package, and -S hides those
        assert "tomllib" in loaded(rules, "check", "good.rules")


@pytest.mark.parametrize("words", [["explain", "AL301"], ["list"], ["parse", "good.rules"], ["cost", "good.rules"]])
def test_no_other_command_loads_the_libraries(words: list[str], rules: Any) -> None:
    assert roots(loaded(rules, *words)) & {"lark", "kconfiglib", "dataclasses", "inspect", "typing"} == set()


WORLD = {
    *(
        "__main__.py",
        "cli/log_engines.py",
        "cli/main.py",
        "cli/options.py",
        "cli/progress.py",
        "cli/reporting.py",
        "core/data.py",
        "core/signals.py",
    ),
    *(
        "io/git.py",
        "io/image.py",
        "io/inputs.py",
        "io/log_files.py",
        "io/output.py",
        "io/packages.py",
        "io/rewriting.py",
        "io/rooted.py",
    ),
    "kconfig/tree.py",
    "auditctl/compile_grammar.py",
}
"""The modules besides the commands that read, write, ask the environment or the clock (docs/architecture.md)."""
TOUCHES = re.compile(
    r"(?<![\w.])(?:open|print|input)\("
    r"|\bos\.(?:open|fdopen|listdir|scandir|walk|stat|lstat|readlink|access|environ|getcwd|replace|unlink|urandom)\b"
    r"|\bos\.path\.(?:exists|isfile|isdir|islink|realpath)\b|\bsys\.(?:stdin|stdout|stderr)\b"
    r"|\b(?:subprocess|signal|socket|tempfile|shutil)\.(?!c\b)\w|\btime\.\w+\(|\bPath\("
)


def test_all_else_is_pure() -> None:
    package = ROOT / "auditlint"
    touching = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if TOUCHES.search(path.read_text(encoding="utf-8"))
    }
    assert {name for name in touching if not name.startswith("cli/commands/")} == WORLD
