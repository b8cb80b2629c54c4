"""Completions and man pages: each shell takes its file and completes with it, man shows the pages without a warning."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from auditlint.cli import COMMANDS


@pytest.fixture(scope="module")
def files():
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
    try:
        import shell_files

        return shell_files.files()
    finally:
        del sys.path[0]


def call(program, *words, **more):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, **more)


def test_every_command_is_there(files):
    assert {name for name in COMMANDS if f"share/man/man1/auditlint-{name}.1" not in files} == set()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("auditlint ch", "check"),
        ("auditlint check --fail-o", "--fail-on"),
        ("auditlint check --fail-on w", "warning"),
        ("auditlint advise --cmd", "--cmdline"),
        ("auditlint check a.ru", "a.rules"),
    ],
)
def test_bash_completes(words, expected, files, tmp_path):
    (tmp_path / "a.rules").touch()
    (tmp_path / "c").write_text(files["share/bash-completion/completions/auditlint"])
    script = f'. ./c; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _auditlint; echo "${{COMPREPLY[@]}}"'
    done = call("bash", "--norc", "-c", script, cwd=tmp_path)
    assert (done.stdout.split(), done.stderr) == ([expected], "")


def test_fish_completes(files, tmp_path):
    (tmp_path / "c.fish").write_text(files["share/fish/vendor_completions.d/auditlint.fish"])
    for words, expected in (("ch", "check"), ("check --fail-o", "--fail-on"), ("check --fail-on w", "warning")):
        done = call("fish", "--no-config", "-c", f"source c.fish; complete -C 'auditlint {words}'", cwd=tmp_path)
        assert expected in [line.split("\t")[0] for line in done.stdout.splitlines()], done.stderr


def test_zsh_takes_it(files, tmp_path):
    (tmp_path / "_auditlint").write_text(files["share/zsh/site-functions/_auditlint"])
    done = call("zsh", "-f", "-n", "_auditlint", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_man_pages(files, tmp_path):
    for place, text in files.items():
        if place.endswith(".1"):
            path = tmp_path / place.rpartition("/")[2]
            path.write_text(text)
            done = call("man", "--warnings", "-P", "cat", "-l", str(path))
            assert (done.returncode, done.stderr) == (0, "")
            assert "OPTIONS" in done.stdout or place.endswith("/auditlint.1")
    assert "--fail-on" in text or "auditlint" in text


@pytest.mark.slow
def test_shipped(root, files, tmp_path):
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
