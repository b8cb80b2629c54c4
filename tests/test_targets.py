"""Releases of distributions as targets, and which of all that is said about the target counts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.analysis.triggers import PATTERNS
from auditlint.auditctl.tables import likely_links
from auditlint.cli.main import run
from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.target import DEFAULT_AUDITCTL, DEFAULT_KERNEL, Target, TargetSource, target_line, target_record
from auditlint.core.targets import links, of_os_release, os_release_fields, release, releases

RULES = "-D\n-w /etc/passwd -p wa -k identity\n"


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """What `check` says a rule file was judged for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(RULES)

    def call(*words: Any) -> Any:
        assert run(["check", "a.rules", "--fail-on", "never", "--format", "json", *words]) == 0
        return json.loads(capsys.readouterr().out)["target"]

    return call


@pytest.mark.parametrize("name", list(releases()))
def test_every_release_can_be_named(name: Any, target: Any) -> None:
    entry = releases()[name]
    said = target("--target", name)
    assert said["release"] == name
    assert said["kernel"] == (entry.kernel or DEFAULT_KERNEL)
    assert said["auditctl"] == (entry.auditctl or DEFAULT_AUDITCTL)
    assert said["source"]["kernel"] == ("option" if entry.kernel else "default")
    assert said["source"]["machine"] == "default"


def test_every_source_is_cited() -> None:
    cited = {row[0] for row in rows("target-sources.tsv")}
    for entry in releases().values():
        assert entry.sources, entry.name
        assert set(entry.sources) <= cited, entry.name
    names = set(releases())
    for link, text, where, source in rows("target-links.tsv"):
        assert link.startswith("/") and text and source
        assert set(where.split()) <= names


def test_likely_links_are_looked_for() -> None:
    """The pattern that saves the import of the check fits every link of the table."""
    for link in likely_links():
        assert PATTERNS["likely-link"].search(f"-w {link} -p x".encode()), link


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n', "debian-12"),
        ("ID=debian\nVERSION_CODENAME=forky\n", "debian-14"),
        ("ID=ubuntu\nID_LIKE=debian\nVERSION_ID='24.04'\n", "ubuntu-24.04"),
        ('ID="rhel"\nVERSION_ID="9.4"\nPLATFORM_ID="platform:el9"\n', "rhel-9"),
        ('ID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="8.10"\n', "almalinux-8"),
        ('ID="eurolinux"\nVERSION_ID="9.2"\nPLATFORM_ID="platform:el9"\n', "rhel-9"),
        ("ID=alpine\nVERSION_ID=3.22.1\n", "alpine-3.22"),
        ("ID=arch\n", "arch"),
        ("ID=linuxmint\nID_LIKE=ubuntu\nVERSION_ID=22\n", None),
        ("ID=debian\nVERSION_ID=99\n", None),
        ('ID="debian\nVERSION_ID=12\n', None),
        ("", None),
    ],
)
def test_os_release(text: str, name: str | None) -> None:
    entry = of_os_release(os_release_fields(text))
    assert (entry.name if entry else None) == name


def test_names() -> None:
    assert release("rhel-9.4").name == "rhel-9"
    assert release("Debian-12").name == "debian-12"
    assert release("debian-bookworm").name == "debian-12"
    with pytest.raises(UserError, match=r"--target debain-12: unknown release; did you mean debian-12\?"):
        release("debain-12")


def test_a_derivative_takes_what_is_open_from_its_like() -> None:
    alma, oracle, rhel = release("almalinux-9"), release("ol-9"), release("rhel-9")
    assert (alma.kernel, alma.auditctl, alma.uid_min) == (rhel.kernel, rhel.auditctl, rhel.uid_min)
    assert (oracle.kernel, oracle.auditctl) == (None, rhel.auditctl)


def test_links_lie_where_merged_usr_puts_them() -> None:
    assert links("debian-12")["/usr/sbin/modprobe"] == "/bin/kmod"
    assert links("debian-12")["/sbin"] == "usr/sbin"
    assert links("alpine-3.22") == {}


def test_links_of_the_target_are_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text("-w /sbin/modprobe -p x -k modules\n-w /usr/bin/kmod -p x -k modules\n")
    assert run(["check", "a.rules", "--target", "debian-12", "--select", "AL216", "--format", "json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["line"], finding["severity"]) == (1, "warning")
    assert "/sbin/modprobe is a symbolic link to /usr/bin/kmod" in finding["message"]


def test_the_time_account_of_the_other_side_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """chrony runs as _chrony on Debian, as chrony on Azure Linux."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text("-a never,exit -F arch=b64 -S adjtimex -F auid=unset -F uid=chrony\n")
    words = ["check", "a.rules", "--select", "AL126", "--format", "json"]
    assert run([*words, "--target", "debian-12"]) == 1
    assert run([*words, "--target", "azurelinux-3"]) == 0
    capsys.readouterr()


def test_an_option_for_a_part_wins(target: Any) -> None:
    said = target("--target", "debian-12", "--kernel", "6.12", "--machine", "aarch64")
    assert (said["kernel"], said["machine"], said["auditctl"]) == ("6.12", "aarch64", "3.0.9")
    assert said["source"] == {"kernel": "option", "machine": "option", "auditctl": "option"}


def test_settings_say_what_nobody_else_says(target: Any, tmp_path: Path) -> None:
    (tmp_path / "auditlint.toml").write_text('target = "debian-11"\nmachine = "aarch64"\n')
    said = target()
    assert (said["kernel"], said["machine"], said["auditctl"], said["release"]) == (
        "5.10",
        "aarch64",
        "3.0",
        "debian-11",
    )
    assert set(said["source"].values()) == {"settings"}
    said = target("--target", "debian-12")
    assert (said["kernel"], said["source"]["kernel"], said["source"]["machine"]) == ("6.1", "option", "settings")
    (tmp_path / "auditlint.toml").write_text('target = "debian-11"\nkernel = "6.6"\n')
    assert target()["kernel"] == "6.6"


def test_wrong_target_in_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(RULES)
    (tmp_path / "auditlint.toml").write_text('target = "debian"\n')
    assert run(["check", "a.rules"]) == 2
    assert re.fullmatch(r"auditlint: .*auditlint\.toml: target debian: unknown release.*\n", capsys.readouterr().err)


def test_an_image_knows_better_than_target_and_settings(target: Any, tmp_path: Path) -> None:
    root = tmp_path / "img"
    (root / "etc").mkdir(parents=True)
    (root / "etc/os-release").write_text("ID=debian\nVERSION_ID=12\n")
    (root / "var/lib/dpkg").mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text(
        "Package: auditd\nStatus: install ok installed\nVersion: 1:4.0.2-2+deb13u1\n"
    )
    (tmp_path / "auditlint.toml").write_text('kernel = "6.6"\nauditctl = "2.8.5"\n')
    said = target("--root", "img")
    assert (said["kernel"], said["source"]["kernel"]) == ("6.1", "image:etc/os-release")
    assert (said["auditctl"], said["source"]["auditctl"]) == ("4.0.2", "image:var/lib/dpkg/status")
    said = target("--root", "img", "--target", "debian-11")
    assert (said["kernel"], said["source"]["kernel"]) == ("5.10", "option")
    assert said["source"]["auditctl"] == "image:var/lib/dpkg/status"
    assert target("--root", "img", "--auditctl", "3.1.5")["source"]["auditctl"] == "option"


@pytest.mark.parametrize("command", ["cost", "parse", "match", "kconfig", "advise", "merge"])
def test_every_command_takes_a_target(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(RULES)
    (tmp_path / "rules.d").mkdir()
    (tmp_path / "rules.d/a.rules").write_text(RULES)
    (tmp_path / "config").write_text("CONFIG_AUDIT=y\nCONFIG_NET=y\n")
    (tmp_path / "events").write_text("")
    words = {
        "match": ["a.rules", "--events", "events"],
        "kconfig": ["config", "--format", "json"],
        "advise": ["--rules", "a.rules", "--fail-on", "never", "--format", "json"],
        "merge": ["rules.d"],
    }.get(command, ["a.rules", "--format", "json"])
    assert run([command, *words, "--target", "debian-12"]) == 0
    out = capsys.readouterr().out
    if command in ("cost", "advise"):
        assert json.loads(out)["target"]["release"] == "debian-12"
    if command == "kconfig":
        assert json.loads(out)["kernel"] == "6.1"
    assert run([command, *words, "--target", "nothing"]) == 2


def test_paths_have_targets_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules of one repository for two releases: -m exists since auditctl 3.0, io_uring rules since Linux 5.16."""
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.rules").write_text("-a always,io_uring -S openat -k u\n")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.auditlint.per-path]]\npath = "old/*"\ntarget = "rhel-8"\n'
        '[[tool.auditlint.per-path]]\npath = "new/*"\nkernel = "6.12"\nignore = ["AL9"]\n'
    )
    assert run(["check", "old/a.rules", "new/a.rules", "--select", "AL1", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {each["path"]: each["kernel"] for each in report["inputs"]} == {"old/a.rules": "4.18", "new/a.rules": "6.12"}
    assert [each["file"] for each in report["findings"]] == ["old/a.rules"]
    assert run(["check", "old/a.rules", "--kernel", "6.12", "--select", "AL1"]) == 0
    capsys.readouterr()


def test_an_arch_for_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm/defconfig").write_text("CONFIG_AUDIT=y\n")
    (tmp_path / "auditlint.toml").write_text(
        '[[per-path]]\npath = "arm/*"\narch = "arm64"\nkernel = "6.6"\ntarget = "debian-12"\n'
    )
    assert run(["check", "arm/defconfig", "--fail-on", "never", "--format", "json"]) == 0
    (judged,) = json.loads(capsys.readouterr().out)["inputs"]
    assert (judged["kernel"], judged["arch"], judged["machine"]) == ("6.6", "arm64", "aarch64")
    (tmp_path / "auditlint.toml").write_text('[[per-path]]\npath = "arm/*"\ntarget = "debain"\n')
    assert run(["check", "arm/defconfig"]) == 2
    assert "auditlint.toml: per-path.arm/*: target debain: unknown release" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--kernel", "2.6.32"), ("--kernel", "3.2"), ("--auditctl", "2.4.5")])
@pytest.mark.parametrize("command", ["check", "cost", "parse"])
def test_old_targets_are_judged_by_the_nearest(
    command: str,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(RULES)
    status = run([command, "a.rules", *words, *(["--fail-on", "never"] if command == "check" else [])])
    out = capsys.readouterr()
    assert status == 0
    assert (out.out + out.err).count(", the nearest\n") == 1


def test_the_line_that_begins_a_report() -> None:
    assert target_line(Target()) == (
        f"Judged for Linux {DEFAULT_KERNEL}, x86_64, auditctl {DEFAULT_AUDITCTL} "
        "(defaults; choose with --target debian-12 or --kernel, --machine, --auditctl)"
    )
    every = TargetSource("option", "option", "option")
    assert target_line(Target("6.1", "x86_64", "3.0.9", every)) == "Judged for Linux 6.1, x86_64, auditctl 3.0.9"
    image = TargetSource("image:boot/vmlinuz-6.1", "default", "image:var/lib/dpkg/status", "debian-12")
    assert target_line(Target("6.1", "x86_64", "3.0.9", image)) == (
        "Judged for Linux 6.1, x86_64, auditctl 3.0.9, debian-12 (kernel from image: boot/vmlinuz-6.1; "
        "machine by default; auditctl from image: var/lib/dpkg/status)"
    )
    settings = TargetSource("settings", "settings", "settings")
    line = target_line(Target("none", "arm", "4.2", settings))
    assert line.startswith("Judged for a kernel that accepts everything, arm, auditctl 4.2 (")
    assert line.endswith("(kernel, machine and auditctl from the settings)")


def test_where_a_target_comes_from_does_not_make_it_another() -> None:
    told = Target("6.1", "x86_64", "3.0.9", TargetSource("option"))
    assert told == Target("6.1", "x86_64", "3.0.9") and hash(told) == hash(Target("6.1", "x86_64", "3.0.9"))
    assert target_record(told)["source"] == {"kernel": "option", "machine": "default", "auditctl": "default"}


def test_list_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--targets"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["target", "kernel", "auditctl", "lsm", "uid_min", "awk"]
    assert "debian-12 6.1 3.0.9 apparmor 1000 mawk" in {" ".join(line.split()) for line in table}
    assert run(["list", "--targets", "--format", "json"]) == 0
    records = {record["name"]: record for record in json.loads(capsys.readouterr().out)}
    assert records["debian-12"]["accounts"] == ["_chrony", "systemd-network"]
    assert records.keys() == releases().keys()


@pytest.mark.parametrize(
    ("kernel", "line", "vendor"),
    [
        ("4.18.0-425.3.1.el8.x86_64", "4.18", "Red Hat"),
        ("4.18.0-553.28.1.el8_10", "4.18", "Red Hat"),
        ("5.14.0-503.23.1.el9_5.aarch64", "5.14", "Red Hat"),
        ("3.10.0-1160.119.1.el7.x86_64", "3.10", "Red Hat"),
        ("5.14.21-150500.55.7-default", "5.14", "SUSE"),
        ("4.12.14-122.37-default", "4.12", "SUSE"),
        ("5.15.0-200.131.27.el8uek.x86_64", "5.15", None),
        ("6.1.0-13-amd64", "6.1", None),
        ("6.1", "6.1", None),
    ],
)
def test_vendor_kernels_are_known_as_such(kernel: str, line: str, vendor: str | None, target: Any) -> None:
    said = target("--kernel", kernel)
    assert (said["kernel"], said.get("vendor")) == (line, vendor)


def test_a_vendor_kernel_of_a_target_and_of_an_image(target: Any, tmp_path: Path) -> None:
    assert target("--target", "almalinux-9")["vendor"] == "Red Hat"
    assert target("--target", "sles-15-sp6")["vendor"] == "SUSE"
    assert "vendor" not in target("--target", "ol-9")
    assert "vendor" not in target("--target", "almalinux-9", "--kernel", "6.1")
    (tmp_path / "img/boot").mkdir(parents=True)
    (tmp_path / "img/boot/vmlinuz-5.14.0-427.13.1.el9_4.x86_64").write_text("")
    said = target("--root", "img")
    assert (said["kernel"], said["vendor"]) == ("5.14", "Red Hat")
    assert target_line(Target("5.14", vendor="Red Hat", source=TargetSource("option", "option", "option"))) == (
        f"Judged for Linux 5.14 of Red Hat, x86_64, auditctl {DEFAULT_AUDITCTL}"
    )
