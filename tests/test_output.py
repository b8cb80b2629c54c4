"""Report files: there as a whole or as before, with the mode they had."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.io.output import write_file


def broken() -> Iterator[Any]:
    yield b"half"
    raise KeyboardInterrupt


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(str(tmp_path / "r"), [b"a", b"b"])
    finally:
        os.umask(before)
    assert (tmp_path / "r").read_bytes() == b"ab"
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["r"]


def test_nothing_half_written(tmp_path: Path) -> None:
    for there in (False, True):
        if there:
            (tmp_path / "r").write_bytes(b"old")
        with pytest.raises(KeyboardInterrupt):
            write_file(str(tmp_path / "r"), broken())
        assert os.listdir(tmp_path) == (["r"] if there else [])
    assert (tmp_path / "r").read_bytes() == b"old"


def test_mode_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"old")
    (tmp_path / "r").chmod(0o604)
    (tmp_path / "link").symlink_to("r")
    write_file(str(tmp_path / "link"), [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "r").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o604


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_owner_stays(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"old")
    os.chown(tmp_path / "r", 1000, 1001)
    write_file(str(tmp_path / "r"), [b"new"])
    status = (tmp_path / "r").stat()
    assert (status.st_uid, status.st_gid, (tmp_path / "r").read_bytes()) == (1000, 1001, b"new")


def test_a_file_of_two_names_keeps_both(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"older")
    os.link(tmp_path / "r", tmp_path / "other")
    write_file(str(tmp_path / "r"), [b"new"])
    assert (tmp_path / "other").read_bytes() == b"new"


def test_a_link_to_nowhere_makes_the_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("r")
    write_file(str(tmp_path / "link"), [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "r").read_bytes() == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd on this system")
def test_what_others_hold_open_is_written_in_its_place(tmp_path: Path) -> None:
    number = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    write_file(f"/dev/fd/{number}", [b"new"])
    assert os.pread(number, 100, 0) == b"new"
    os.close(number)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_file(path, [b"a", b"b"])
    assert os.read(reader, 100) == b"ab"
    os.close(reader)
    assert stat.S_ISFIFO(os.stat(path).st_mode)


@pytest.mark.parametrize("path", ["missing/r", ".", "x\0y", "n" * 300, "loop"])
def test_one_line_for_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError) as caught:
        write_file(path, [b"x"])
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["loop"]
