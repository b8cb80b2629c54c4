"""The steps of docs/pipelines for Yocto and for Debian images, run with BitBake's library and with mmdebstrap."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def write_files(page: Any, folder: Any) -> None:
    """What the page says stands in files; those of blocks that a command changes later as they are at first."""
    text = (ROOT / f"docs/pipelines/{page}.md").read_text(encoding="utf-8")
    for name, content in re.findall(r"```\w+ file=(\S+)\n(.*?)```", text, re.S):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def auditlint_in(folder: Any) -> None:
    """A program `auditlint` that is this checkout."""
    folder.mkdir()
    program = folder / "auditlint"
    paths = f"PYTHONPATH={shlex.quote(str(ROOT))} PYTHONDONTWRITEBYTECODE=1"
    program.write_text(f'#!/bin/sh\n{paths} exec {shlex.quote(sys.executable)} -m auditlint "$@"\n')
    program.chmod(0o755)


RECIPE = """
LINUX_VERSION = "6.1.99"
ARCH = "arm64"
THISDIR = "${TOPDIR}/meta-site/recipes-kernel/linux"
UNPACKDIR = "${THISDIR}/files"
B = "${TOPDIR}/build"
python do_kernel_configcheck() {
    open(d.expand("${TOPDIR}/checked"), "x").close()
}
addtask kernel_configcheck
"""


@pytest.fixture
def layer(tmp_path: Path) -> Any:
    """The layer of the page, and a recipe of a kernel with the lines of its .bbappend at the end."""
    pytest.importorskip("bb", reason="BitBake's library (bitbake-setup) is not installed")
    write_files("yocto", tmp_path)
    appended = (tmp_path / "meta-site/recipes-kernel/linux/linux-yocto_%.bbappend").read_text()
    (tmp_path / "linux-site.bb").write_text(RECIPE + appended)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/.config").write_text(
        "# Linux/arm64 6.1.99 Kernel Configuration\nCONFIG_ARM64=y\nCONFIG_NET=y\nCONFIG_AUDIT=y\n"
        'CONFIG_AUDITSYSCALL=y\nCONFIG_SYSFS=y\nCONFIG_MULTIUSER=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\nCONFIG_LSM="apparmor"\n'
    )
    auditlint_in(tmp_path / "hosttools")
    for name in ("sh", "env"):
        (tmp_path / "hosttools" / name).symlink_to(shutil.which(name) or "/bin/" + name)
    return tmp_path


def run_task(folder: Any) -> Any:
    words = [sys.executable, str(ROOT / "tests/pipelines/run_task.py"), "linux-site.bb", "do_kernel_configcheck"]
    env = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_yocto_class_says_nothing_against_a_good_fragment(layer: Any) -> None:
    status, out = run_task(layer)
    assert status == 0, out
    assert (layer / "checked").exists()  # the task itself ran, too
    assert re.search(r"^2 files, 0 rules: 0 errors, 0 warnings", out, re.M)


@pytest.mark.parametrize(
    ("name", "good", "bad", "said"),
    [
        (
            "meta-site/recipes-kernel/linux/files/audit.cfg",
            "AUDITSYSCALL",
            "AUDIT_SYSCALL",
            "audit.cfg:2:1: warning: this line has no effect: no kernel has a symbol AUDIT_SYSCALL",
        ),
        ("build/.config", "CONFIG_AUDITSYSCALL=y", "# CONFIG_AUDITSYSCALL is not set", "build/.config:"),
    ],
    ids=["fragment", "configuration"],
)
def test_yocto_class_stops_the_build_at_a_bad_file(layer: Any, name: str, good: str, bad: str, said: str) -> None:
    path = layer / name
    path.write_text(path.read_text().replace(good, bad))
    status, out = run_task(layer)
    assert status == 1, out
    assert said in out


@pytest.fixture
def image(tmp_path: Path) -> Any:
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed")
    if os.geteuid() != 0:
        pytest.skip("mmdebstrap unpacks packages as root here")
    write_files("image", tmp_path)
    auditlint_in(tmp_path / "bin")
    return tmp_path


def build_image(folder: Any) -> Any:
    env = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "VARIANT": "extract",
        "HOOK": "extract",
        "TMPDIR": str(folder),
    }
    words = ["sh", "build-image", "--format=tar", "image.tar"]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)
    out = done.stdout + done.stderr
    if re.search(r"(?i)could not resolve|connection failed|unable to connect|temporary failure", out):
        pytest.skip(f"no mirror of Debian is reached: {out[-200:]}")
    return done.returncode, out


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["openat", "openatt"])
def test_mmdebstrap_hook(name: str, image: Any) -> None:
    rules = image / "image/etc/audit/rules.d/50-site.rules"
    rules.write_text(rules.read_text().replace("openat ", f"{name} "))
    status, out = build_image(image)
    (last,) = re.findall(r"^auditlint advise: .*", out, re.M)
    if name == "openat":
        assert status == 0, out
        assert last.startswith("auditlint advise: 0 errors")
        listed = subprocess.run(
            ["tar", "tf", "image.tar"], cwd=image, capture_output=True, text=True, check=True
        ).stdout
        assert "./etc/audit/rules.d/50-site.rules\n" in listed
        assert re.search(r"^\./(?:usr/)?sbin/auditctl$", listed, re.M)
    else:
        assert status != 0
        assert "unknown system call openatt" in out
        assert not (image / "image.tar").exists() or not (image / "image.tar").stat().st_size
