"""Completions and man pages: each shell takes its file and completes with it, man shows the pages without a warning."""

import fcntl
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import termios
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import COMMANDS
from tools import shell_files


@pytest.fixture(scope="module")
def files() -> Any:
    return shell_files.files()


def call(program: Any, *words: Any, **more: Any) -> Any:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, **more)


def test_they_are_made_where_only_the_build_tool_is_installed(root: Path) -> None:
    """pip builds in an environment without the dependencies: no command may need one before its options are read."""
    absent = "sys.modules.update(dict.fromkeys(('kconfiglib', 'lark')))"
    code = f"import sys; {absent}; from tools import shell_files; shell_files.files()"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_is_there(files: Any) -> None:
    assert {name for name in COMMANDS if f"share/man/man1/auditlint-{name}.1" not in files} == set()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("auditlint ch", "check"),
        ("auditlint check --fail-o", "--fail-on"),
        ("auditlint check --fail-on w", "warning"),
        ("auditlint advise --cmd", "--cmdline"),
        ("auditlint check a.ru", "a.rules"),
        ("auditlint --vers", "--version"),
    ],
)
def test_bash_completes(words: str, expected: str, files: Any, tmp_path: Path) -> None:
    (tmp_path / "a.rules").touch()
    (tmp_path / "c").write_text(files["share/bash-completion/completions/auditlint"])
    script = f'. ./c; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _auditlint; echo "${{COMPREPLY[@]}}"'
    done = call("bash", "--norc", "-c", script, cwd=tmp_path)
    assert (done.stdout.split(), done.stderr) == ([expected], "")


def test_fish_completes(files: Any, tmp_path: Path) -> None:
    (tmp_path / "c.fish").write_text(files["share/fish/vendor_completions.d/auditlint.fish"])
    for words, expected in (("ch", "check"), ("check --fail-o", "--fail-on"), ("check --fail-on w", "warning")):
        done = call("fish", "--no-config", "-c", f"source c.fish; complete -C 'auditlint {words}'", cwd=tmp_path)
        assert expected in [line.split("\t")[0] for line in done.stdout.splitlines()], done.stderr


INTERACTIVE = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". ./c; auditlint() { printf 'GOT<%s>' \"$@\"; echo; }"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d ./dump; unsetopt beep; "
        "auditlint() { printf 'GOT<%s>' \"$@\"; echo; }",
    ),
    "fish": (["fish", "--no-config", "-i"], "source c.fish; function auditlint; printf 'GOT<%s>' $argv; echo; end"),
}
TYPED = {
    "chec\t": ["check"],
    "check --fail-o\twarn\t": ["check", "--fail-on", "warning"],
    "advise --cmdl\tx.ru\t": ["advise", "--cmdline", "x.rules"],
    "check with\t": ["check", "with blank.rules"],
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", INTERACTIVE)
def test_typed_at_a_prompt(shell: Any, files: Any, tmp_path: Path) -> None:
    """A real shell on a terminal: what it makes of a few letters and a tab."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "x.rules").touch()
    (tmp_path / "with blank.rules").touch()
    (tmp_path / "c").write_text(files["share/bash-completion/completions/auditlint"])
    (tmp_path / "c.fish").write_text(files["share/fish/vendor_completions.d/auditlint.fish"])
    (tmp_path / "_auditlint").write_text(files["share/zsh/site-functions/_auditlint"])
    words, setup = INTERACTIVE[shell]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "> "}
    master, slave = pty.openpty()

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        words, cwd=tmp_path, env=env, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal, pass_fds=[slave]
    )
    os.close(slave)
    try:
        os.write(master, f"{setup}; echo REA''DY\n".encode())
        heard_until(master, rb"READY")
        for typed, expected in TYPED.items():
            for letters in re.split(r"(?<=\t)", f"auditlint {typed}"):
                os.write(master, letters.encode())
                time.sleep(0.3)  # a shell that is still completing takes what follows for part of the word
            os.write(master, b"\n")
            shown = heard_until(master, rb"GOT<[^%][^\n]*>\s").decode()
            assert re.findall(r"GOT<([^>]*)>", shown.rpartition("\n")[0] or shown)[-len(expected) :] == expected
    finally:
        process.kill()
        process.wait()
        os.close(master)


def heard_until(master: Any, pattern: Any) -> Any:
    heard = b""
    end = time.monotonic() + 30
    while not re.search(pattern, heard):
        ready, _, _ = select.select([master], [], [], max(0, end - time.monotonic()))
        assert ready, heard
        heard += os.read(master, 1 << 14)
    return heard


def options_of(command: Any) -> Any:
    """The options that --help shows."""
    words = [sys.executable, "-m", "auditlint", command, "--help"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  (?:-\w, )?(--[a-z][a-z-]*)", text, re.M))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_help_is_everywhere(command: Any, files: Any) -> None:
    options = options_of(command)
    assert "--help" in options
    bash = files["share/bash-completion/completions/auditlint"]
    (words,) = re.findall(rf'^        {command}\) words="(.*)" ;;$', bash, re.M)
    assert options <= set(words.split())
    fish = files["share/fish/vendor_completions.d/auditlint.fish"]
    assert options <= {f"--{name}" for name in re.findall(rf"_from {command}'.* -l ([a-z-]+)", fish)}
    zsh = files["share/zsh/site-functions/_auditlint"]
    part = re.search(rf"^        {command}\) _arguments.*?;;$", zsh, re.M | re.S)
    assert part is not None
    assert options <= set(re.findall(r"\*(--[a-z-]+)\[", part[0]))
    page = files[f"share/man/man1/auditlint-{command}.1"].replace("\\-", "-")
    assert options <= set(re.findall(r"--[a-z][a-z-]*", page))


def test_zsh_takes_it(files: Any, tmp_path: Path) -> None:
    (tmp_path / "_auditlint").write_text(files["share/zsh/site-functions/_auditlint"])
    done = call("zsh", "-f", "-n", "_auditlint", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_man_pages(files: Any, tmp_path: Path) -> None:
    for place, text in files.items():
        if place.endswith(".1"):
            path = tmp_path / place.rpartition("/")[2]
            path.write_text(text)
            done = call("man", "--warnings", "-P", "cat", "-l", str(path))
            assert (done.returncode, done.stderr) == (0, "")
            assert "OPTIONS" in done.stdout or place.endswith("/auditlint.1")
    assert "--fail-on" in text or "auditlint" in text


@pytest.mark.slow
def test_shipped(root: Path, files: Any, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert [place for place in files if not any(name.endswith(f".data/data/{place}") for name in names)] == []
    (archive,) = tmp_path.glob("*.tar.gz")
    listed = subprocess.run(["tar", "tzf", archive], capture_output=True, text=True, check=True).stdout
    assert [place for place in files if f"/shell/{place}\n" not in listed] == []
