"""Images from strangers: no path leads out of one, nothing but regular files of bounded size is read."""

import ast
import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli import commands
from auditlint.cli.main import run
from auditlint.core.errors import UserError
from auditlint.io.rooted import Refused, RootedTree
from tests.images.making import RULES

SECRET = "-w /the-secret-of-the-host -p wa -k leaked\n"


@pytest.fixture
def secret(tmp_path: Path) -> Any:
    """A file of the host beside the image."""
    (tmp_path / "secret").write_text(SECRET)
    return tmp_path / "secret"


def everything(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """All that a run says."""
    status = run(list(words))
    out = capsys.readouterr()
    return status, out.out + out.err


LINKED = [
    "etc/audit/rules.d/x.rules",
    "etc/os-release",
    "etc/passwd",
    "etc/group",
    "etc/login.defs",
    "var/lib/dpkg/status",
    "var/lib/rpm/rpmdb.sqlite",
    "lib/apk/db/installed",
    "usr/sbin/auditctl",
    "boot/grub/grub.cfg",
    "boot/grub2/grubenv",
    "boot/loader/entries/a.conf",
    "boot/cmdline.txt",
    "boot/config-6.1.0-9-amd64",
    "etc/default/grub",
    "etc/kernel/cmdline",
    "efi/EFI/Linux/a.efi",
    "usr/lib/systemd/system/auditd.service",
]


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("how", ["absolute", "climbing", "directory"])
def test_links_never_lead_out(name: Any, how: str, image: Any, secret: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Each file that is read of an image, as a link to a file of the host: nothing of it is in any report."""
    root = image({"etc/audit/rules.d/a.rules": RULES, "usr/keep": ""})
    path = root / name
    if how == "directory":
        (secret.parent / "outside").mkdir()
        (secret.parent / "outside" / path.name).write_text(SECRET)
        if path.parent.exists():
            shutil.rmtree(path.parent)
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.symlink_to("../" * 20 + str(secret.parent / "outside").lstrip("/"))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(str(secret) if how == "absolute" else "../" * 20 + str(secret).lstrip("/"))
    for form in ("text", "json"):
        for words in (("advise", "img"), ("check", "img/etc/audit/rules.d", "--root", "img")):
            _, said = everything(capsys, *words, "--format", form)
            assert "the-secret-of-the-host" not in said
            assert "leaked" not in said


def test_a_link_means_the_image(image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = image({"etc/audit/rules.d/a.rules": RULES, "srv/shared.rules": "-w /x -p rwxat\n"})
    (root / "etc/audit/rules.d/b.rules").symlink_to("/srv/shared.rules")
    _, said = everything(capsys, "check", "img/etc/audit/rules.d", "--root", "img", "--format", "json")
    (finding,) = [each for each in json.loads(said)["findings"] if each["file"].endswith("b.rules")][:1]
    assert finding["file"] == "img/etc/audit/rules.d/b.rules"


@pytest.mark.parametrize("command", ["check", "cost", "parse"])
def test_the_path_of_a_rule_file_may_be_a_link(
    command: str, image: Any, secret: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    root = image({"etc/audit/a.rules": RULES})
    (root / "etc/audit/b.rules").symlink_to(str(secret))
    status, said = everything(capsys, command, "img/etc/audit/b.rules", "--root", "img")
    assert status == 2
    assert said == "auditlint: img/etc/audit/b.rules: no such file in the image, links followed inside it\n"


def test_without_root_the_host_decides(image: Any, secret: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = image({"etc/audit/a.rules": RULES})
    (root / "etc/audit/b.rules").symlink_to(str(secret))
    status, said = everything(capsys, "parse", "img/etc/audit/b.rules")
    assert (status, "the-secret" in said) == (0, True)


@pytest.mark.parametrize("kind", ["fifo", "socket", "proc", "directory", "loop"])
@pytest.mark.parametrize(
    "name", ["etc/audit/rules.d/x.rules", "etc/passwd", "var/lib/dpkg/status", "boot/grub/grub.cfg"]
)
def test_only_regular_files_are_opened(kind: str, name: str, image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """None of them blocks, and none is read."""
    root = image({"etc/audit/rules.d/a.rules": RULES, "usr/keep": "", "proc/self/status": "-w /in-proc -p wa\n"})
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        import socket

        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        socket.socket(socket.AF_UNIX).bind(path.name)
        os.chdir(here)
    elif kind == "proc":
        path.symlink_to("/proc/self/status")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(path.name)
    status, said = everything(capsys, "advise", "img")
    assert "/in-proc" not in said
    assert "Traceback" not in said
    assert status in (0, 1, 2)
    if kind in ("fifo", "socket", "proc"):
        assert f"img/{name}: " in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes devices")
def test_devices_are_not_opened(image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    import stat

    root = image({"etc/audit/rules.d/a.rules": RULES})
    try:
        os.mknod(root / "etc/passwd", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("no devices can be made here")
    status, said = everything(capsys, "advise", "img")
    assert "img/etc/passwd: a device, not a regular file" in said
    assert status in (0, 1)


def test_sizes_are_bounded(image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = image({"etc/audit/rules.d/a.rules": RULES})
    for name in ("var/lib/dpkg/status", "boot/grub/grub.cfg", "etc/os-release"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        with open(root / name, "wb") as file:
            file.truncate(1 << 40)
    status, said = everything(capsys, "advise", "img")
    assert status in (0, 1)
    assert "img/var/lib/dpkg/status: larger than 64 MiB; not read" in said
    assert "img/boot/grub/grub.cfg: larger than 256 KiB; not read" in said
    with open(root / "etc/audit/rules.d/b.rules", "wb") as file:
        file.truncate(1 << 40)
    status, said = everything(capsys, "advise", "img")
    assert (status, said) == (2, "auditlint: img/etc/audit/rules.d/b.rules: larger than 32 MiB; not read\n")


def test_long_chains_of_links_end(image: Any) -> None:
    root = image({"etc/x": ""})
    for number in range(60):
        (root / f"l{number}").symlink_to(f"l{number + 1}")
    (root / "l60").symlink_to("/".join(["."] * 2000) + "/etc/x")
    (root / "d").symlink_to("d/d")
    tree = RootedTree(str(root))
    assert tree.resolve("/l0") is None
    assert tree.resolve("/l30") == "/etc/x"
    assert tree.resolve("/d") is None
    assert tree.resolve("/" + "etc/../" * 1000 + "etc/x") is None
    with pytest.raises(Refused, match="too many levels of symbolic links"):
        tree.read("/l0")


def test_look_ups_are_those_of_a_chroot(image: Any) -> None:
    root = image(
        {"usr/bin/a": "1", "bin": "-> usr/bin", "top": "-> /", "up": "-> ../../../usr/bin/a", "etc/a": "-> /bin/a"}
    )
    tree = RootedTree(str(root))
    for path in ("/bin/a", "/top/bin/a", "/up", "/etc/a", "/../../bin/./a", "//bin//a", "/top/top/up"):
        assert tree.resolve(path) == "/usr/bin/a", path
        assert tree.read(path) == b"1"
    assert tree.resolve("/bin/a/b") is None
    assert tree.resolve("/none") is None
    assert tree.read("/none") is None
    assert tree.read("/bin/a/b") is None
    assert tree.kind("/top") == "directory"
    assert tree.link("/bin") == "usr/bin"
    assert tree.link("/usr/bin/a") is None
    assert tree.status("/bin/a") is None, "a link before the last component"
    assert tree.names("/bin") == ("a",)
    assert tree.names("/usr/bin/a") == ()
    assert tree.read("/us\0r") is None
    with pytest.raises(UserError, match="not a directory"):
        RootedTree(str(root / "usr/bin/a"))


def test_a_race_leads_nowhere(image: Any, secret: Any) -> None:
    """Somebody swaps a directory and a link to the host all the time: every read is of the image, or of nothing."""
    root = image({"etc/dir/secret": "inside", "usr/keep": ""})
    (root / "etc/link").symlink_to(str(secret.parent))
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(root / "etc/dir", root / "etc/away")
            os.rename(root / "etc/link", root / "etc/dir")
            os.rename(root / "etc/dir", root / "etc/link")
            os.rename(root / "etc/away", root / "etc/dir")

    thread = threading.Thread(target=swap)
    thread.start()
    read = set()
    try:
        for _ in range(300):
            try:
                read.add(RootedTree(str(root)).read("/etc/dir/secret"))
            except Refused:
                read.add(None)
    finally:
        stop.set()
        thread.join()
    assert read <= {b"inside", None}


def test_a_directory_of_many_names(
    image: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from auditlint.io import rooted

    monkeypatch.setattr(rooted, "NAMES_MAX", 50)
    files = {f"etc/audit/rules.d/{number}.rules": "-b 1\n" for number in range(60)}
    image(files)
    status, said = everything(capsys, "advise", "img")
    assert (status, said) == (2, "auditlint: img/etc/audit/rules.d: holds more than 50 names\n")


def test_names_of_an_image_do_not_command_the_terminal(image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    image({"etc/audit/rules.d/\x1b[31m::error::.rules": "-w x\n", "usr/keep": ""})
    for form in ("text", "github"):
        _, said = everything(capsys, "advise", "img", "--format", form)
        assert "\x1b" not in said
        assert "\n::error::.rules" not in said


FIXABLE = "-a always,exit -S mount -F arch=b64 -k m\n"
"""A rule that a fix writes anew."""


def fixed(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    return everything(capsys, "check", *words, "--fix", "--unsafe-fixes", "--no-settings")


@pytest.mark.parametrize("named", ["img/etc/audit/rules.d", "img/etc/audit/rules.d/x.rules"])
def test_fix_does_not_write_through_a_link_that_leads_out(
    named: str, image: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside.rules"
    outside.write_text(FIXABLE)
    root = image({"etc/audit/rules.d/a.rules": "-D\n"})
    (root / "etc/audit/rules.d/x.rules").symlink_to(outside)
    status, said = fixed(capsys, named)
    assert status == 2
    assert said.startswith("auditlint: img/etc/audit/rules.d/x.rules: not changed: it leads to ")
    assert said.endswith("outside.rules, outside of what was named\n")
    assert outside.read_text() == FIXABLE


def test_fix_keeps_a_link_within_the_tree(image: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = image({"rules.d/a.rules": "-> shared/a.rules", "rules.d/shared/a.rules": FIXABLE})
    _, said = fixed(capsys, "img/rules.d")
    assert "in 1 file" in said
    assert os.readlink(root / "rules.d/a.rules") == "shared/a.rules"
    assert (root / "rules.d/shared/a.rules").read_text() != FIXABLE


def test_fix_of_an_image_writes_into_the_image(image: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An absolute link means the image for the writing, too."""
    root = image({"etc/audit/rules.d/a.rules": "-> /etc/audit/rules.d/kept/a", "etc/audit/rules.d/kept/a": FIXABLE})
    _, said = fixed(capsys, "img/etc/audit/rules.d", "--root", "img")
    assert "in 1 file" in said
    assert os.readlink(root / "etc/audit/rules.d/a.rules") == "/etc/audit/rules.d/kept/a"
    assert (root / "etc/audit/rules.d/kept/a").read_text() != FIXABLE


def test_every_command_reads_its_inputs_through_the_image() -> None:
    """Whoever calls read_inputs hands the image on, so that --root means the same in every command."""
    without = []
    for path in sorted(Path(commands.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "read_inputs":
                continue
            if "image" not in [keyword.arg for keyword in node.keywords]:
                without.append(f"{path.name}:{node.lineno}")
    assert without == []


def test_what_this_user_may_not_look_at_is_not_missing(
    image: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below a directory that cannot be searched a path may be there: no finding says that it is missing."""
    rules = "-D\n-w /root/.ssh/authorized_keys -p wa -k keys\n-w /nothing/here -p wa -k gone\n"
    image({"etc/audit/rules.d/a.rules": rules, "root/.ssh/authorized_keys": "", "boot/x": ""})
    usual = RootedTree._directory

    def directory(self: Any, path: Any) -> Any:
        if path == "/root" or path.startswith(("/root/", "/boot")):
            raise PermissionError(13, "Permission denied")
        return usual(self, path)

    monkeypatch.setattr(RootedTree, "_directory", directory)
    _, said = everything(capsys, "check", "img/etc/audit/rules.d", "--root", "img", "--format", "json")
    report = json.loads(said)
    about = {finding["line"] for finding in report["findings"] if "exist" in finding["message"]}
    assert about == {3}
    _, said = everything(capsys, "advise", "img")
    assert "img/boot: Permission denied" in said


def test_rules_that_this_user_may_not_read_are_not_none(
    image: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    image({"etc/audit/rules.d/a.rules": RULES})
    usual = RootedTree._directory

    def directory(self: Any, path: Any) -> Any:
        if path.startswith("/etc/audit"):
            raise PermissionError(13, "Permission denied")
        return usual(self, path)

    monkeypatch.setattr(RootedTree, "_directory", directory)
    status, said = everything(capsys, "advise", "img")
    assert (status, said) == (2, "auditlint: img/etc/audit/rules.d: Permission denied\n")
