"""Files written anew keep what they are; when in doubt nothing is written."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.io.rewriting import rewrite, rewrite_all


@pytest.fixture
def file(tmp_path: Path) -> Any:
    path = tmp_path / "a.rules"
    path.write_bytes(b"-w /a\r\n")
    path.chmod(0o640)
    return path


def test_bytes_mode_and_folder(file: Any) -> None:
    rewrite(str(file), b"-w /a\r\n", b"-w /b\r\n")
    assert file.read_bytes() == b"-w /b\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(file.parent) == ["a.rules"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owner_is_kept(file: Any) -> None:
    os.chown(file, 1000, 1001)
    rewrite(str(file), b"-w /a\r\n", b"x")
    assert (file.stat().st_uid, file.stat().st_gid) == (1000, 1001)


def test_link_stays_a_link(file: Any, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("a.rules")
    rewrite(str(link), b"-w /a\r\n", b"x")
    assert link.is_symlink()
    assert file.read_bytes() == b"x"


def refuses(path: Any, before: Any, words: Any) -> None:
    with pytest.raises(UserError, match="not changed") as error:
        rewrite(str(path), before, b"x")
    assert words in str(error.value)


def test_changed_file_is_left(file: Any) -> None:
    refuses(file, b"-w /other\n", "changed while it was read")
    assert file.read_bytes() == b"-w /a\r\n"


def test_hard_links_are_not_parted(file: Any, tmp_path: Path) -> None:
    os.link(file, tmp_path / "b")
    refuses(file, b"-w /a\r\n", "2 hard links")
    assert file.read_bytes() == b"-w /a\r\n"


def test_missing_and_odd_files(tmp_path: Path) -> None:
    refuses(tmp_path / "none", b"", "No such file")
    os.mkfifo(tmp_path / "fifo")
    refuses(tmp_path / "fifo", b"", "not a regular file")


def test_one_that_cannot_be_written_stops_all(tmp_path: Path) -> None:
    first, second = tmp_path / "1.rules", tmp_path / "2.rules"
    for path in (first, second):
        path.write_bytes(b"-D\n")
    os.link(second, tmp_path / "other")
    with pytest.raises(UserError, match="2 hard links"):
        rewrite_all([(str(first), b"-D\n", b"x"), (str(second), b"-D\n", b"y")], [str(first), str(second)])
    assert first.read_bytes() == b"-D\n"
    assert sorted(os.listdir(tmp_path)) == ["1.rules", "2.rules", "other"]


def test_two_names_of_one_file_are_left(tmp_path: Path) -> None:
    first, second = tmp_path / "1.rules", tmp_path / "2.rules"
    first.write_bytes(b"-D\n")
    second.symlink_to("1.rules")
    with pytest.raises(UserError, match=r"2\.rules: not changed: it is the same file as .*1\.rules"):
        rewrite_all([(str(first), b"-D\n", b"x")], [str(first), str(second)])
    assert first.read_bytes() == b"-D\n"


def test_file_that_changes_at_the_last_moment_stops_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the bytes and the writing somebody else writes the second file."""
    first, second = tmp_path / "1.rules", tmp_path / "2.rules"
    for path in (first, second):
        path.write_bytes(b"-D\n")
    real = os.fsync

    def fsync(handle: Any) -> None:
        real(handle)
        second.write_bytes(b"-D\n-e 1\n")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(UserError, match="changed while it was read"):
        rewrite_all([(str(first), b"-D\n", b"x"), (str(second), b"-D\n", b"y")], [str(first), str(second)])
    assert (first.read_bytes(), second.read_bytes()) == (b"-D\n", b"-D\n-e 1\n")
    assert sorted(os.listdir(tmp_path)) == ["1.rules", "2.rules"]


def test_what_was_written_before_a_failure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "1.rules", tmp_path / "2.rules"
    for path in (first, second):
        path.write_bytes(b"-D\n")
    real = os.replace

    def replace(old: Any, new: Any, **folders: Any) -> None:
        if str(new).endswith("2.rules"):
            raise PermissionError(1, "Operation not permitted")
        real(old, new, **folders)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(UserError, match=r"2\.rules: not changed: .*; already changed: .*1\.rules"):
        rewrite_all([(str(first), b"-D\n", b"x"), (str(second), b"-D\n", b"y")], [str(first), str(second)])
    assert (first.read_bytes(), second.read_bytes()) == (b"x", b"-D\n")
    assert sorted(os.listdir(tmp_path)) == ["1.rules", "2.rules"]


def test_folder_that_cannot_be_written(file: Any) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    file.parent.chmod(0o555)
    try:
        refuses(file, b"-w /a\r\n", "not changed: Permission denied")
    finally:
        file.parent.chmod(0o755)
    assert file.read_bytes() == b"-w /a\r\n"


def test_longest_name(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 249 + ".rules")
    path.write_bytes(b"a")
    rewrite(str(path), b"a", b"b")
    assert path.read_bytes() == b"b"


def test_attributes_are_kept_where_there_are_any(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError:
        pytest.skip("no attributes on this file system")
    rewrite(str(file), b"-w /a\r\n", b"x")
    assert os.getxattr(file, "user.note") == b"mine"

    def listxattr(path: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "listxattr", listxattr)
    rewrite(str(file), b"x", b"y")
    assert file.read_bytes() == b"y"


def test_link_to_a_link_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    target = tmp_path / "deep" / "a.rules"
    target.write_bytes(b"a")
    (tmp_path / "one").symlink_to("deep/a.rules")
    (tmp_path / "two").symlink_to("one")
    rewrite(str(tmp_path / "two"), b"a", b"b")
    assert target.read_bytes() == b"b" and os.readlink(tmp_path / "two") == "one"
    assert os.listdir(tmp_path / "deep") == ["a.rules"]


def test_links_that_do_not_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    refuses(tmp_path / "a", b"", "not a regular file")


@pytest.fixture
def outside(tmp_path: Path) -> Any:
    """A file beside the folder that is named."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/deep").mkdir()
    path = tmp_path / "outside.rules"
    path.write_bytes(b"a")
    return path


@pytest.mark.parametrize("named", ["tree", "tree/x.rules"])
@pytest.mark.parametrize("how", ["relative", "absolute", "folder"])
def test_a_link_that_leads_out_is_refused(
    how: str, named: str, outside: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    link = tmp_path / "tree/x.rules"
    if how == "folder":
        (tmp_path / "tree/up").symlink_to("..")
        link.symlink_to("up/outside.rules")
    else:
        link.symlink_to(str(outside) if how == "absolute" else "../outside.rules")
    with pytest.raises(UserError, match=r"x\.rules: not changed: it leads to .*, outside of what was named"):
        rewrite_all([("tree/x.rules", b"a", b"b")], ["tree/x.rules"], [named])
    assert outside.read_bytes() == b"a"
    assert sorted(os.listdir(tmp_path)) == ["outside.rules", "tree"]


def test_a_link_within_what_is_named_is_kept(outside: Any, tmp_path: Path) -> None:
    (tmp_path / "tree/deep/a").write_bytes(b"a")
    (tmp_path / "tree/x.rules").symlink_to("deep/a")
    (tmp_path / "way-in").symlink_to("tree")
    for named in (tmp_path / "tree", tmp_path / "tree/x.rules", tmp_path / "way-in"):
        (tmp_path / "tree/deep/a").write_bytes(b"a")
        path = named / "x.rules" if named.name != "x.rules" else named
        rewrite_all([(str(path), b"a", b"b")], [str(path)], [str(named)])
        assert (tmp_path / "tree/deep/a").read_bytes() == b"b"
        assert os.readlink(tmp_path / "tree/x.rules") == "deep/a"


def test_a_folder_that_becomes_a_link_is_not_followed(outside: Any, tmp_path: Path) -> None:
    """Where the path led is looked at once; a link that takes the place of a folder after that stops the writing."""
    (tmp_path / "tree/deep/a").write_bytes(b"a")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a").write_bytes(b"a")

    def real(path: Any) -> Any:
        place = os.path.realpath(path)
        if place.endswith("/a"):
            os.rename(tmp_path / "tree/deep", tmp_path / "tree/away")
            (tmp_path / "tree/deep").symlink_to(tmp_path / "other")
        return place

    path = str(tmp_path / "tree/deep/a")
    with pytest.raises(UserError, match="not changed: "):
        rewrite_all([(path, b"a", b"b")], [], [str(tmp_path / "tree")], real)
    assert (tmp_path / "other/a").read_bytes() == b"a"
    assert os.listdir(tmp_path / "other") == ["a"]
