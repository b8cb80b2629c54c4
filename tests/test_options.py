"""The options that commands share."""

from pathlib import Path
from typing import Any

import pytest

from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.facts import UNKNOWN
from auditlint.core.target import Target


def common(*words: str) -> Any:
    parser = options.make_parser("x", "for tests")
    options.add_target(parser, arch=True)
    options.add_facts(parser)
    options.add_settings(parser)
    return options.read_common(parser.parse_args(list(words)))


def wrong(*words: str) -> str:
    with pytest.raises(UserError) as caught:
        common(*words)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty current directory below which no settings file lies."""
    monkeypatch.chdir(tmp_path)


def test_defaults() -> None:
    found = common()
    assert found.target == Target("7.3", "x86_64", "4.2")
    assert (found.kernel, found.machine, found.auditctl, found.arch) == (None, None, None, None)
    assert found.facts is UNKNOWN


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("6.1", "6.1"),
        ("v6.1.192", "6.1"),
        ("6.1.0-13-amd64", "6.1"),
        ("none", "none"),
        ("3.10", "3.10"),
        ("6.12-rc1", "6.12"),
        ("v6.1", "6.1"),
        ("6.1.0-50-cloud-amd64", "6.1"),
        ("latest", "7.3"),
    ],
)
def test_kernel_lines(text: str, line: str) -> None:
    assert common("--kernel", text).target.kernel == line


@pytest.mark.parametrize("text", ["6", "x", "", "6.1 ", "6.1x", "-", "6.x", "99999.1", "6.²"])
def test_wrong_kernel_lines(text: str) -> None:
    assert "not a kernel version" in wrong(f"--kernel={text}")


def test_old_kernels() -> None:
    assert "knows no kernel before 2.6.32" in wrong("--kernel", "2.6.18")
    old = common("--kernel", "2.6.32.67")
    assert (old.kernel, old.target.kernel) == ("2.6.32", "3.10")
    assert old.remarks == ("no table for rules on Linux 2.6.32; rules are judged for 3.10, the nearest",)
    assert common("--kernel", "3.10").remarks == ()


@pytest.mark.parametrize(
    ("text", "release"), [("3.0.9", "3.0.9"), ("4.2", "4.2"), ("1:3.0.9-1", "3.0.9"), ("v4.0.2", "4.0.2")]
)
def test_releases(text: str, release: str) -> None:
    assert common("--auditctl", text).target.auditctl == release


@pytest.mark.parametrize("text", ["4", "4.x", "new", ""])
def test_wrong_releases(text: str) -> None:
    assert "not a release" in wrong(f"--auditctl={text}")


def test_old_releases() -> None:
    old = common("--auditctl", "2.7.4")
    assert old.target.auditctl == "2.8"
    assert old.remarks == ("no table for auditctl 2.7.4; rules are judged for 2.8, the nearest",)
    assert "knows no release before 2.0" in wrong("--auditctl", "1.7.4")


@pytest.mark.parametrize(
    ("text", "machine"), [("x86_64", "x86_64"), ("i686", "i386"), ("AArch64", "aarch64"), ("armv7l", "arm")]
)
def test_machines(text: str, machine: str) -> None:
    assert common("--machine", text).target.machine == machine


def test_wrong_machine() -> None:
    assert wrong("--machine", "x86_46") == "--machine x86_46: unknown machine; did you mean x86_64?"


@pytest.mark.parametrize(
    ("words", "machine", "arch"),
    [
        (["--machine", "aarch64"], "aarch64", "arm64"),
        (["--machine", "x86_64"], "x86_64", "x86"),
        (["--machine", "i386"], "i386", "i386"),
        (["--machine", "riscv32"], "riscv32", "riscv"),
        (["--arch", "arm64"], "aarch64", "arm64"),
        (["--arch", "x86"], "x86_64", "x86"),
        (["--arch", "riscv"], "riscv64", "riscv"),
        (["--arch", "s390"], "s390x", "s390"),
        (["--arch", "mips"], "mips", "mips"),
        (["--arch", "arc"], None, "arc"),
        (["--machine", "arm64"], "aarch64", "arm64"),
        (["--machine", "AMD64"], "x86_64", "x86"),
        (["--machine", "loongarch64"], "loongarch64", "loongarch"),
        (["--arch", "x86", "--machine", "i386"], "i386", "x86"),
        ([], None, None),
    ],
)
def test_machine_and_arch_imply_each_other(words: Any, machine: str | None, arch: str | None) -> None:
    found = common(*words)
    assert (found.machine, found.arch) == (machine, arch)
    assert found.target.machine == (machine or "x86_64")


def test_wrong_and_contradicting_arch() -> None:
    assert wrong("--arch", "arm46") == "--arch arm46: not an ARCH of the kernel; did you mean arm64?"
    assert "contradict" in wrong("--arch", "arm64", "--machine", "x86_64")


def test_errors_of_the_parser_are_one_line() -> None:
    assert wrong("--bogus") == "unrecognized arguments: --bogus (see auditlint x --help)"
    assert "--kernel" in wrong("--kernel")
    assert "unrecognized" in wrong("--kern", "6.1")  # no abbreviations


def test_facts(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text("lsm = 'selinux'\n")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/passwd").write_text("a:x:1:1:::\n")
    found = common("--facts", "f.toml", "--root", str(tmp_path))
    assert (found.facts.lsm, found.facts.users) == ("selinux", {"a": 1})
    assert "No such file" in wrong("--facts", "none.toml")
    assert "none: No such file or directory (--root)" in wrong("--root", "none")


def test_nearest_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "auditlint.toml").write_text("kernel = '5.10'\nfacts = 'f.toml'\n")
    (tmp_path / "f.toml").write_text("uid_min = 500\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a/pyproject.toml").write_text("[project]\nname = 'auditlint-user'\n")
    monkeypatch.chdir(inner)
    found = common()
    assert (found.target.kernel, found.facts.uid_min) == ("5.10", 500)
    assert common("--kernel", "6.1").target.kernel == "6.1"
    assert common("--no-config").target.kernel == "7.3"
    (tmp_path / "a/pyproject.toml").write_text("[tool.auditlint]\nmachine = 'aarch64'\n")
    assert common().target == Target("7.3", "aarch64", "4.2")
    (inner / "auditlint.toml").write_text("")
    assert common().target == Target("7.3", "x86_64", "4.2")


@pytest.mark.parametrize("option", ["settings", "config"])
def test_named_settings_file(option: str, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("auditctl = '3.0.9'\n")
    assert common(f"--{option}", "my.toml").target.auditctl == "3.0.9"
    assert "No such file" in wrong(f"--{option}", "none.toml")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert "no section" in wrong(f"--{option}", "pyproject.toml")
    assert "not allowed with" in wrong(f"--{option}", "my.toml", f"--no-{option}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kernal = '6.1'", "auditlint.toml: kernal: unknown setting; did you mean kernel?"),
        ("kernel = 6.1", "auditlint.toml: kernel: must be a string"),
        ("kernel = '6'", "auditlint.toml: kernel 6: not a kernel version; expected for example 6.1, or none"),
        ("kernel =", "auditlint.toml: "),
    ],
)
def test_wrong_settings(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "auditlint.toml").write_text(text + "\n")
    assert said in wrong()


def test_wrong_section(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nauditlint = 3\n")
    assert "tool.auditlint: must be a table" in wrong()
    (tmp_path / "pyproject.toml").write_text("tool = 'auditlint'\n")
    assert common().target.kernel == "7.3"


def test_commands_without_settings_read_none(tmp_path: Path) -> None:
    (tmp_path / "auditlint.toml").write_text("kernel = '5.10'\n")
    parser = options.make_parser("x", "for tests")
    options.add_target(parser)
    assert options.read_common(parser.parse_args([])).target.kernel == "7.3"


def test_removed_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert common().target.kernel == "7.3"
    monkeypatch.chdir(tmp_path)


def test_paths_alone_are_what_argparse_makes_of_them() -> None:
    from auditlint.cli.commands.check import _parser

    slow = vars(_parser().parse_args(["a", "b"]))
    quick = options.parse(_parser, ["a", "b"])
    assert isinstance(quick, options.OnlyPaths)
    assert quick.paths == slow.pop("paths")
    for name, value in slow.items():
        assert not value
        assert getattr(quick, name) is None
    assert options.parse(_parser, ["a", "-"]).paths == ["a", "-"]
    with pytest.raises(UserError, match="required: PATH"):
        options.parse(_parser, [])


@pytest.mark.parametrize(
    "text",
    [
        "[tool.auditlint]\nkernel = '6.1'",
        "[ tool . \"auditlint\" ]\nkernel = '6.1'",
        "[tool]\nauditlint.kernel = '6.1'",
        "tool = {auditlint = {kernel = '6.1'}}",
        "['tool'.'auditlint']\nkernel = '6.1'",
        "tool.auditlint.kernel = '6.1'",
    ],
)
def test_settings_of_a_project_in_any_spelling(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text + "\n")
    assert common().target.kernel == "6.1"


def test_a_project_without_settings_for_us_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nscripts = auditlint: no TOML at all")
    assert common().target.kernel == "7.3"


@pytest.mark.parametrize(
    ("word", "arch", "machine"),
    [("aarch64", "arm64", "aarch64"), ("amd64", "x86_64", "x86_64"), ("AArch64", "arm64", "aarch64")],
)
def test_the_name_of_a_machine_stands_for_its_arch(word: str, arch: str, machine: str) -> None:
    found = common("--arch", word)
    assert (found.arch, found.target.machine) == (arch, machine)
