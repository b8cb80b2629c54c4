"""What the process does to its streams: never a traceback, always one line, always UTF-8."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

RULES = "-D\r\n-w /etc/pässwd -p wa -k id\n-w x\n"
ROOT = str(Path(__file__).parent.parent)
FULL = "/dev/full"
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="no /dev/full on this system")
COMMANDS = [
    ["check", "r.rules"],
    ["check", "--format", "json", "r.rules"],
    ["check", "--diff", "--unsafe-fixes", "r.rules"],
    ["parse", "r.rules"],
    ["parse", "--format", "text", "r.rules"],
    ["merge", "."],
    ["cost", "--operation", "read", "r.rules"],
    ["match", "r.rules", "--events", "e.jsonl"],
    ["kconfig", "--kernel", "6.1", "--arch", "x86", "fragment.config"],
    ["explain", "AL301"],
    ["list"],
    ["check", "--help"],
    ["--help"],
    ["--version"],
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ROOT)
    (tmp_path / "r.rules").write_bytes(RULES.encode())
    (tmp_path / "e.jsonl").write_text('{"name": "openat", "abi": 64}\n')
    (tmp_path / "fragment.config").write_text("CONFIG_AUDIT=y\n")
    return tmp_path


def run(*words: Any, env: Any = None, python: Any = (), **more: Any) -> Any:
    command = [sys.executable, *python, "-m", "auditlint", *words]
    more = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **({} if "input" in more else {"stdin": subprocess.DEVNULL}),
        **more,
    }
    return subprocess.run(command, env={**os.environ, **(env or {})}, timeout=60, check=False, **more)


def shell(text: Any) -> Any:
    return subprocess.run(["sh", "-c", text], capture_output=True, timeout=60, check=False)


def is_clean(done: Any) -> Any:
    """Exit status 2 and one line that is no traceback."""
    return done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"error of the tool" not in done.stderr


@needs_full
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_full_disk_behind_the_output(words: Any) -> None:
    with open(FULL, "wb") as full:
        done = run(*words, stdout=full)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (2, b"auditlint: standard output: No space left on device"), done.stderr


@pytest.mark.parametrize("words", [["check", "r.rules"], ["parse", "r.rules"], ["list"], ["--version"]], ids=" ".join)
def test_closed_output(words: list[str]) -> None:
    done = shell(f"{sys.executable} -m auditlint {' '.join(words)} >&-")
    assert (done.returncode, done.stderr) == (2, b"auditlint: standard output: Bad file descriptor\n")


@pytest.mark.parametrize("words", [["check", "r.rules"], ["list"], ["--version"], ["--help"]], ids=" ".join)
def test_a_reader_that_is_gone(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*words, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_closed_and_full_standard_error_keep_the_status() -> None:
    assert shell(f"{sys.executable} -m auditlint check nofile 2>&-").returncode == 2
    assert shell(f"{sys.executable} -m auditlint check nofile >&- 2>&-").returncode == 2
    if os.path.exists(FULL):
        assert shell(f"{sys.executable} -m auditlint check nofile 2>{FULL}").returncode == 2


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=str,
)
@pytest.mark.parametrize("words", COMMANDS[1:3], ids=" ".join)
def test_output_is_utf8_whatever_the_locale_says(words: Any, env: dict[str, str]) -> None:
    (expected, found) = (run(*words).stdout, run(*words, env=env).stdout)
    assert found.decode() == expected.decode()
    assert found


@pytest.mark.skipif(os.name != "posix", reason="file names are text on this system")
@pytest.mark.parametrize("words", [["cost", "--operation", "read"], ["parse", "--format", "text"]], ids=" ".join)
def test_names_that_are_no_text(words: list[str]) -> None:
    name = b"\xff\x1b[31m.rules"
    os.rename(b"r.rules", name)
    done = run(*words, os.fsdecode(name))
    assert done.returncode == 0
    assert b"\\xff\\x1b[31m.rules" in done.stdout
    assert b"\x1b" not in done.stdout


def test_json_of_cost_with_a_name_that_is_no_text() -> None:
    if os.name != "posix":
        pytest.skip("file names are text on this system")
    with open(b"\xff.rules", "wb") as file:
        file.write(b"-w /etc/passwd -p wa\n")
    found = json.loads(run("cost", "--operation", "read", "--format", "json", os.fsdecode(b"\xff.rules")).stdout)
    assert found["path"] == "\\xff.rules"
    assert {rule["file"] for rule in found["rules"]} == {"\\xff.rules"}


def test_wrong_use_of_cost_is_one_line() -> None:
    done = run("cost", "--frobnicate")
    assert done.stderr == b"auditlint: unrecognized arguments: --frobnicate (see auditlint cost --help)\n"
    assert done.returncode == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
@pytest.mark.parametrize(
    "words",
    [
        ["check", "--output", "pipe", "r.rules"],
        ["check", "--write-baseline", "pipe", "r.rules"],
        ["kconfig", "--kernel", "6.1", "--arch", "x86", "--output", "pipe", "fragment.config"],
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_reads_does_not_hang(words: list[str]) -> None:
    os.mkfifo("pipe")
    done = run(*words)
    assert (done.returncode, done.stderr) == (2, b"auditlint: pipe: a pipe that nobody reads\n")


def test_a_report_into_a_pipe_that_is_read() -> None:
    done = shell(f"{sys.executable} -m auditlint check --format json:/dev/fd/3 r.rules 3>&1 | cat")
    assert json.loads(done.stdout)["version"] == 1


@pytest.mark.parametrize("option", ["--facts", "--config"])
@pytest.mark.parametrize("text", ["x = " + "[" * 5000, "x = " + "{ a = " * 5000], ids=["lists", "tables"])
def test_toml_that_is_nested_without_end(option: str, text: str) -> None:
    with open("deep.toml", "w") as file:
        file.write(text)
    done = run("check", option, "deep.toml", "r.rules")
    assert is_clean(done), done.stderr
    assert done.stderr.startswith(b"auditlint: deep.toml: ")


@pytest.mark.skipif(os.name != "posix", reason="all streams wait on this system")
def test_input_that_does_not_wait() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    command = [sys.executable, "-m", "auditlint", "parse", "--kind", "rules", "--format", "text", "-"]
    with subprocess.Popen(command, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as done:
        for piece in (b"-D\n-w /etc/pass", b"wd -p wa\n-b 10\n"):
            time.sleep(0.3)
            os.write(writer, piece)
        os.close(writer)
        out, err = done.communicate(timeout=60)
    os.close(reader)
    assert (done.returncode, err) == (0, "")
    assert "path=/etc/passwd perm=wa" in out
    assert out.splitlines()[-1].split()[0] == "3"


def test_half_a_character_in_a_command_line() -> None:
    done = run("parse", "--argv-json", "-", input=b'["-w", "\\ud800"]\n')
    assert (done.returncode, done.stderr) == (2, b"auditlint: -:1: contains half a character (a lone surrogate)\n")


@pytest.mark.parametrize("word", ["9" * 5000, "-1", "10000000000000000"])
def test_arguments_of_events_have_64_bits(word: str) -> None:
    with open("e.jsonl", "w") as file:
        json.dump({"name": "openat", "abi": 64, "a": [word]}, file)
    done = run("match", "r.rules", "--events", "e.jsonl", "--explain")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == b'auditlint: e.jsonl:1: "a" must be numbers from 0 to ffffffffffffffff'


def test_a_failure_of_the_tool_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from auditlint.cli import main as cli

    def fail(argv: Any) -> None:
        raise TypeError("no\nway")

    monkeypatch.setattr(cli, "run", fail)
    monkeypatch.setattr(cli, "_fit_streams", lambda: None)
    assert cli.main(["check"]) == 2
    heard = capsys.readouterr().err
    assert heard.startswith("auditlint: internal error, please report it: TypeError: no\\nway (test_streams.py:")
    assert heard.count("\n") == 1


def test_text_of_kconfig_has_no_control_characters() -> None:
    with open("fragment.config", "wb") as file:
        file.write(b"CONFIG_AUDIT=y\n# CONFIG_\x1b[31m is not set\nCONFIG_AUDIT=\x1b\n")
    done = run("kconfig", "--kernel", "6.1", "--arch", "x86", "fragment.config")
    assert done.returncode == 0
    assert b"\\x1b" in done.stdout
    assert b"\x1b" not in done.stdout
