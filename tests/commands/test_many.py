"""Hundreds of inputs in one run: memory, the progress line, and Ctrl-C at any moment."""

import fcntl
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.many import fill

ROOT = Path(__file__).resolve().parent.parent.parent
MIB = 1 << 20
COLUMNS = 50
PROGRAM = [sys.executable, "-m", "auditlint"]
AT_ONCE = "from auditlint.cli import progress; progress.FIRST = 0.0; from auditlint.__main__ import main; main()"
"""The program, with a progress line from the first file on: a fast machine is done before it would come."""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
ENVIRONMENT.pop("NO_COLOR", None)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Enough for a second or two. Nothing of it is changed by a test."""
    folder = tmp_path_factory.mktemp("some")
    fill(folder, 40, 160)
    return folder


@pytest.fixture
def copy(some: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(some, tmp_path / "copy"))


def hear_interrupts() -> None:
    """In the new process: whoever started the tests in the background had SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_terminal(
    words: Any, folder: Any, *, outputs: tuple[int, ...] = (2,), environment: Any = ENVIRONMENT, typed: Any = None
) -> Any:
    """Exit status, standard output and what a terminal got as `outputs`. `typed(text so far)` answers what to type."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    file = tempfile.TemporaryFile()  # noqa: SIM115
    streams: dict[str, Any] = {"stdout": file, "stderr": file}
    streams |= {("", "stdout", "stderr")[number]: slave for number in outputs}

    def own_terminal() -> None:
        hear_interrupts()
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-c", AT_ONCE, *words],
        cwd=folder,
        env=environment,
        preexec_fn=own_terminal,
        pass_fds=[slave],
        **streams,
    )
    os.close(slave)
    heard = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:  # the last one has closed it
            break
        if not piece:
            break
        heard += piece
        if typed is not None and (keys := typed(heard)):
            os.write(master, keys)
    os.close(master)
    status = process.wait(60)
    with file:
        file.seek(0)
        return status, file.read(), heard


def on_screen(heard: bytes) -> list[str]:
    """The lines that stand on a terminal in the end: a carriage return goes back, blanks and letters overwrite."""
    lines = []
    for row in heard.decode().split("\n"):
        shown: list[str] = []
        for part in row.split("\r"):
            shown[: len(part)] = part
        lines.append("".join(shown).rstrip())
    return lines


def test_memory_and_silence(tmp_path: Path) -> None:
    fill(tmp_path, 500, 2000)
    forms = ["--format=text", *(f"--format={form}:report.{form}" for form in ("json", "sarif", "gitlab", "junit"))]
    with open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
        process = subprocess.Popen(
            [*PROGRAM, "check", *forms, "configs", "rules"], cwd=tmp_path, env=ENVIRONMENT, stdout=out, stderr=err
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    assert (tmp_path / "err").read_bytes() == b""
    assert (tmp_path / "out").read_bytes().splitlines()[-1].startswith(b"2500 files, ")
    assert used.ru_maxrss * 1024 <= 400 * MIB
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}], ids=["plain", "NO_COLOR"])
def test_a_terminal_is_shown_how_far_it_is(some: Any, more: Any) -> None:
    words = ["check", "configs", "rules"]
    quiet = subprocess.run([*PROGRAM, *words], cwd=some, env=ENVIRONMENT, capture_output=True, check=False)
    assert quiet.stderr == b""
    status, out, heard = on_terminal(words, some, environment={**ENVIRONMENT, **more})
    assert (status, out) == (1, quiet.stdout)
    shown = [part for part in heard.decode().split("\r") if part.strip()]
    assert len(shown) > 3
    counts = [int(part.split(" checked, at ")[0]) for part in shown]
    assert counts == sorted(counts)
    assert max(map(len, shown)) < COLUMNS
    assert heard.replace(b"\r", b"").decode().isprintable()
    assert on_screen(heard) == [""]


@pytest.mark.parametrize("term", ["dumb", "", None])
def test_a_dumb_terminal_is_shown_nothing(some: Any, term: str | None) -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "TERM"}
    environment |= {} if term is None else {"TERM": term}
    assert on_terminal(["check", "rules"], some, environment=environment)[2] == b""


def test_findings_and_progress_do_not_mix(copy: Any) -> None:
    """Both streams on one terminal; what stands there in the end is the report alone."""
    environment = {**ENVIRONMENT, "NO_COLOR": "1"}
    words = ["check", "--diff", "--unsafe-fixes", "--select=AL1,AL3", "rules"]
    quiet = subprocess.run([*PROGRAM, *words], cwd=copy, env=environment, capture_output=True, check=False)
    _, _, heard = on_terminal(words, copy, outputs=(1, 2), environment=environment)
    assert b" checked, at " in heard
    assert on_screen(heard) == [line.rstrip() for line in quiet.stdout.decode().split("\n")]
    words = ["check", "--fix", "--output", "report", "rules"]
    _, _, heard = on_terminal(words, copy)
    assert b" checked, at " in heard
    lines = on_screen(heard)
    assert lines.pop() == ""
    assert lines
    assert [line for line in lines if not (line.startswith("auditlint: ") and line.endswith((" file", " files")))] == []


def test_ctrl_c_while_checking(some: Any, tmp_path: Path) -> None:
    report = tmp_path / "report"
    report.write_text("before\n")
    typed: list[Any] = []

    def keys(heard: Any) -> bytes:
        if b" checked, at " in heard and not typed:
            typed.append(True)
            return b"\x03"
        return b""

    words = ["check", "--output", str(report), "configs", "rules"]
    status, out, heard = on_terminal(words, some, typed=keys)
    assert (status, out) == (130, b"")
    assert on_screen(heard) == ["auditlint: interrupted", ""]
    assert report.read_text() == "before\n"
    assert os.listdir(tmp_path) == ["report"]


def interrupted_when(ready: Any, words: Any, folder: Any, times: int = 1) -> Any:
    """Run, and send SIGINT as soon as `ready()`; the finished process."""
    process = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    )
    end = time.monotonic() + 60
    while not ready() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.0005)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("times", [1, 5])
def test_ctrl_c_while_the_report_is_written(some: Any, tmp_path: Path, times: int) -> None:
    (tmp_path / "report").write_text("before\n")
    words = ["check", "--format", f"sarif:{tmp_path / 'report'}", "rules"]
    done = interrupted_when(lambda: len(os.listdir(tmp_path)) > 1, words, some, times)
    assert done == (130, b"", b"auditlint: interrupted\n")
    assert os.listdir(tmp_path) == ["report"]
    assert (tmp_path / "report").read_text() == "before\n"


@pytest.mark.parametrize("times", [1, 5])
def test_ctrl_c_while_fixing(some: Any, copy: Any, tmp_path: Path, times: int) -> None:
    """Files that belong together (a rules.d directory) are all changed or none; no other file is left."""
    whole = Path(shutil.copytree(some, tmp_path / "whole"))
    folders = sorted(path.relative_to(some).as_posix() for path in (some / "rules").iterdir())
    words = ["check", "--unsafe-fixes", "--format", "text:/dev/null", *folders]
    subprocess.run([*PROGRAM, *words], cwd=whole, env=ENVIRONMENT, capture_output=True, check=False)

    def state(root: Path) -> Any:
        return {folder: {path.name: path.read_bytes() for path in (root / folder).iterdir()} for folder in folders}

    before, after, changed = state(some), state(whole), copy / folders[2]
    assert before[folders[2]] != after[folders[2]]
    stamp = changed.stat().st_mtime_ns
    status, _, err = interrupted_when(lambda: changed.stat().st_mtime_ns != stamp, words, copy, times)
    assert status == 130
    assert err.splitlines()[-1] == b"auditlint: interrupted"
    assert b"Traceback" not in err
    found = state(copy)
    assert [folder for folder in folders if found[folder] not in (before[folder], after[folder])] == []
    assert found[folders[0]] == after[folders[0]]
    assert found[folders[-1]] == before[folders[-1]]


def test_ctrl_c_is_ignored_where_the_shell_ignores_it(some: Any, tmp_path: Path) -> None:
    """As behind nohup or `&` in a script: whenever the signal comes, from the first moment to the last."""
    ignoring = f"trap '' INT; echo ready >&2; exec {sys.executable} -m auditlint check rules"
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(
            ["sh", "-c", ignoring], cwd=some, env=ENVIRONMENT, stdout=out, stderr=subprocess.PIPE
        )
    assert process.stderr is not None
    with process.stderr as err:
        assert err.readline() == b"ready\n"
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert (process.returncode, err.read()) == (1, b"")
    assert b"160 files" in (tmp_path / "out").read_bytes().splitlines()[-1]
