"""`auditlint kconfig` as a user runs it: text, JSON, options, clear errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli import main as cli

APPARMOR = (
    "# CONFIG_AUDITSYSCALL is not set\nCONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\nCONFIG_AUDITD=y\n"
)


@pytest.fixture
def config(tmp_path: Path) -> Any:
    path = tmp_path / "x.config"
    path.write_text(APPARMOR)
    return str(path)


def run(capfd: pytest.CaptureFixture[str], *words: Any) -> Any:
    status = cli.run(["kconfig", *words])
    out, err = capfd.readouterr()
    return status, out, err


def record(capfd: pytest.CaptureFixture[str], *words: Any) -> Any:
    status, out, err = run(capfd, "--format", "json", *words)
    assert status == 0, err
    return json.loads(out)


def test_json(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    found = record(capfd, config, "--kernel", "6.1", "--arch", "arm64")
    assert (found["version"], found["kernel"], found["arch"], found["source"]) == (1, "6.1", "arm64", "slice")
    assert found["symbols"]["AUDITSYSCALL"]["value"] == "y"
    assert found["symbols"]["AUDITSYSCALL"]["requested"] == "n"
    assert found["symbols"]["AUDIT"]["requested"] is None
    assert found["symbols"]["AUDITSYSCALL"]["why"][0] == "default y: AUDIT=y and HAVE_ARCH_AUDITSYSCALL=y"
    assert found["symbols"]["LSM"]["value"].startswith('"landlock,')
    first = found["dropped"][0]
    assert (first["symbol"], first["requested"], first["value"], first["line"]) == ("AUDITSYSCALL", "n", "y", 1)
    assert [edit["symbol"] for edit in first["change"]["edits"]] == ["SECURITY_APPARMOR"]
    assert first["change"]["edits"][0]["line"] == 4
    assert found["unknown"] == ["AUDITD"]


def test_text_says_why_and_what_to_do(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    status, out, _ = run(capfd, config, "--kernel", "6.1", "--arch", "arm64")
    assert status == 0
    assert "AUDITSYSCALL=y because AUDIT=y, selected by SECURITY_APPARMOR (line 4)" in out
    assert "AUDITSYSCALL=n: it has no prompt since Linux 4.5; AUDITSYSCALL=y because" in out
    assert "to get AUDITSYSCALL=n, set SECURITY_APPARMOR=n (line 4)" in out
    assert "\nwithout effect:\n" in out
    assert "\\n" not in out
    assert "boot with audit=0" in out
    assert "-a never,task" in out


def test_machine_stands_for_the_architecture(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    assert record(capfd, config, "--kernel", "6.1", "--machine", "aarch64")["arch"] == "arm64"


def test_old_lines_are_known_here(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    assert record(capfd, config, "--kernel", "2.6.32", "--arch", "x86_64")["symbols"]["AUDIT"]["value"] == "n"


def test_files_are_merged_and_a_base_lies_below(capfd: pytest.CaptureFixture[str], config: Any, tmp_path: Path) -> None:
    more = tmp_path / "more.config"
    more.write_text("CONFIG_SECURITY_APPARMOR=m\nCONFIG_SYSFS=y\n")
    merged = record(capfd, config, str(more), "--kernel", "6.1", "--arch", "arm64")
    assert merged["symbols"]["AUDIT"]["value"] == "n"
    based = record(capfd, str(more), "--base", config, "--kernel", "6.1", "--arch", "arm64")
    assert {drop["symbol"] for drop in based["dropped"]} == {"SECURITY_APPARMOR"}
    small = record(capfd, str(more), "--base", "allnoconfig", "--kernel", "6.1", "--arch", "arm64")
    assert small["symbols"]["DNOTIFY"]["value"] == "n"


def test_want(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    found = record(capfd, config, "--kernel", "6.1", "--arch", "arm64", "--want", "SECURITY_SELINUX=y")
    assert found["change"]["possible"]
    assert {(edit["symbol"], edit["value"]) for edit in found["change"]["edits"]} == {
        ("SECURITY_SELINUX", "y"),
        ("INET", "y"),
    }


def test_output_file(capfd: pytest.CaptureFixture[str], config: Any, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    status, out, _ = run(
        capfd, config, "--kernel", "6.1", "--arch", "arm64", "--format", "json", "--output", str(target)
    )
    assert (status, out) == (0, "")
    assert json.loads(target.read_text())["version"] == 1


def test_what_the_file_says_of_itself_counts(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / ".config"
    path.write_text("#\n# Automatically generated file; DO NOT EDIT.\n# Linux/arm64 6.1.55 Kernel Configuration\n#\n")
    found = record(capfd, str(path))
    assert (found["kernel"], found["arch"]) == ("6.1", "arm64")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "do not show its kernel line"),
        (["--kernel", "6.1"], "do not show its architecture"),
        (["--kernel", "6.1", "--arch", "vax"], "vax"),
        (["--kernel", "1.2", "--arch", "arm64"], "before 2.6.32"),
        (["--kernel", "6.1", "--arch", "arm64", "--base", "/nonexistent"], "/nonexistent"),
        (["--kernel", "6.1", "--arch", "arm64", "--base", "allrandom"], "allrandom"),
        (["--kernel", "6.1", "--arch", "arm64", "--tree", "/nonexistent"], "no such directory"),
        (["--kernel", "6.1", "--arch", "arm64", "--want", "AUDIT"], "--want AUDIT"),
        (
            ["--kernel", "6.1", "--arch", "arm64", "--want", "DRM=n"],
            "not a symbol that auditlint knows; use --tree DIR --full-tree",
        ),
        (
            ["--kernel", "6.1", "--arch", "arm64", "--symbol", "DRM"],
            "not a symbol that auditlint knows; use --tree DIR --full-tree",
        ),
        (["--kernel", "6.1", "--arch", "arm64", "--symbol", "AUDITD"], "no such symbol for arm64"),
        (["--kernel", "6.1", "--arch", "arm64", "--want", "AUDIT=y", "--want", "NET=y"], "once"),
        (["--kernel", "6.1", "--arch", "arm64", "--output", "/nonexistent/x"], "/nonexistent/x"),
        (["/nonexistent.config"], "/nonexistent.config"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    capfd: pytest.CaptureFixture[str], config: Any, words: Any, message: str
) -> None:
    status, out, err = run(capfd, config, *words)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


FRAGMENT = " CONFIG_AUDIT=y\nCONFIG_SECURITY_SELINUX=y\n"


@pytest.fixture
def fragment(tmp_path: Path) -> Any:
    path = tmp_path / "f.cfg"
    path.write_text(FRAGMENT)
    return str(path)


NOTHING_BELOW = "note: a fragment, merged over the defaults of Kconfig only; choose a base with --base FILE"


def test_a_fragment_without_a_base_is_said_to_be_one(
    capfd: pytest.CaptureFixture[str], fragment: Any, config: Any
) -> None:
    words = [fragment, "--kernel", "6.1", "--arch", "arm64"]
    assert NOTHING_BELOW in run(capfd, *words)[1]
    assert NOTHING_BELOW not in run(capfd, *words, "--base", config)[1]
    assert NOTHING_BELOW not in run(capfd, config, *words)[1]
    assert NOTHING_BELOW.removeprefix("note: ") in record(capfd, *words)["notes"]


def test_lines_passed_over_are_told(capfd: pytest.CaptureFixture[str], fragment: Any) -> None:
    words = [fragment, "--kernel", "6.1", "--arch", "arm64"]
    told = f"\nignored by Kconfig:\n  {fragment}:1: CONFIG_AUDIT=y: it starts with a blank\n"
    assert told in run(capfd, *words)[1]
    assert told in run(capfd, *words, "--symbol", "AUDIT")[1]
    assert told not in run(capfd, *words, "--symbol", "NET")[1]
    assert record(capfd, *words)["ignored"] == [
        {"symbol": "AUDIT", "file": fragment, "line": 1, "reason": "leading-blank"}
    ]


def test_a_wanted_value_is_answered_alone_and_in_full(capfd: pytest.CaptureFixture[str], fragment: Any) -> None:
    _, out, _ = run(capfd, fragment, "--kernel", "6.1", "--arch", "arm64", "--want", "SECURITY_SELINUX=y")
    *_, blank, answer = out.splitlines()
    assert blank == ""
    assert answer.startswith("to get SECURITY_SELINUX=y, set ")
    assert "more" not in answer
    assert "SECURITY_YAMA" not in out
    assert "without effect:" not in out


def test_the_configuration_is_named_without_an_option(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    status, _, err = run(capfd, "--config", config, "--kernel", "6.1")
    assert status == 2
    assert f"PATH is missing: name the configuration without an option: {config}" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cmdline", "root=/dev/sda1 audit=1 ro\n"),
        ("a.rules", "-D\n-w /etc/passwd -p wa\n"),
        ("grub", 'GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX="audit=1"\n'),
        ("b_defconfig", "BR2_aarch64=y\n"),
        ("gone.scc", "kconf hardware gone.cfg\n"),
    ],
)
def test_what_holds_no_configuration_is_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    status, out, err = run(capfd, str(path), "--kernel", "6.1", "--arch", "arm64")
    assert (status, out) == (2, "")
    assert err == f"auditlint: {path}: not a kernel configuration\n"


@pytest.mark.parametrize("text", ["", "# nothing\n", "AUDIT=y\n", "#CONFIG_AUDIT is not set\n"])
def test_an_empty_or_misspelt_configuration_is_one(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.config"
    path.write_text(text)
    assert run(capfd, str(path), "--kernel", "6.1", "--arch", "arm64")[0] == 0


def test_a_report_does_not_replace_the_configuration(capfd: pytest.CaptureFixture[str], config: Any) -> None:
    status, _, err = run(capfd, "--kernel", "6.1", "--arch", "arm64", "--output", config, config)
    assert (status, err) == (2, f"auditlint: {config}: the report would overwrite this input\n")
    with open(config) as file:
        assert file.read() == APPARMOR


@pytest.mark.parametrize(
    ("kernel", "line"), [("6.1", "6.1"), ("v6.1", "6.1"), ("6.1.0-50-cloud-amd64", "6.1"), ("latest", "7.3")]
)
def test_kernel_is_written_as_for_other_commands(
    kernel: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.config"
    path.write_text("CONFIG_AUDIT=y\n")
    assert cli.main(["kconfig", "--kernel", kernel, "--arch", "x86_64", str(path)]) == 0
    named = capsys.readouterr().out
    assert cli.main(["kconfig", "--kernel", line, "--arch", "x86_64", str(path)]) == 0
    assert named.replace(kernel.removeprefix("v"), line) == capsys.readouterr().out
