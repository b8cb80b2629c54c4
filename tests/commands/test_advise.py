"""`auditlint advise`: parts judged together, what is taken from the image, the forms of the report, the exit status."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run
from auditlint.core.target import DEFAULT_KERNEL
from auditlint.lint.registry import all_checks

LAST_LINE = re.compile(r"auditlint advise: (\d+) errors, (\d+) warnings, (\d+) advice")
RULES = "-D\n-w /etc/passwd -p wa -k identity\n-a always,exit -F arch=b64 -S mount -k mounts\n"
AUDIT = "CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n"
HEADER = "#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 {} Kernel Configuration\n#\n"
OTHERS = ",".join(sorted({check.code[:3] for check in all_checks()} - {"AL0", "AL1", "AL2", "AL3", "AL8"}))
"""Checks of rules that have nothing to do with what is tested here."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Any, files: Any) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def advise(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*words: Any) -> Any:
        status = run(["advise", *words, "--ignore", OTHERS])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


def codes(text: Any) -> Any:
    return re.findall(r"\[(AL\d+) ", text)


def test_quiet_when_all_fits(folder: Any, advise: Any) -> None:
    write(folder, {"config": AUDIT, "cmdline": "ro audit=1 audit_backlog_limit=8192\n", "rules.d/10-a.rules": RULES})
    status, out, err = advise("--config", "config", "--cmdline", "cmdline", "--rules", "rules.d", "--kernel", "6.1")
    assert (status, err, codes(out)) == (0, "", [])
    assert out.endswith("\nauditlint advise: 0 errors, 0 warnings, 0 advice\n")


@pytest.mark.parametrize("missing", ["--config", "--cmdline", "--rules", "--root"])
def test_each_part_is_optional(missing: str, folder: Any, advise: Any) -> None:
    write(folder, {"config": AUDIT, "cmdline": "ro audit=0\n", "a.rules": RULES, "root/etc/passwd": "root:x:0:0\n"})
    parts = {"--config": "config", "--cmdline": "cmdline", "--rules": "a.rules", "--root": "root"}
    words = [word for pair in parts.items() if pair[0] != missing for word in pair]
    status, out, err = advise(*words)
    assert err == ""
    assert LAST_LINE.fullmatch(out.splitlines()[-1])
    assert ("AL851" in codes(out)) == (missing not in ("--cmdline", "--rules"))
    assert status == int("AL851" in codes(out))
    status, out, err = advise(missing, parts[missing])
    assert (status, err) == (0, "")


def test_needs_a_part(advise: Any) -> None:
    status, out, err = advise()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["--config", "--cmdline", "--rules", "--root", "--facts", "--settings"])
def test_missing_file_is_one_line(option: str, advise: Any) -> None:
    status, out, err = advise("--rules", "nothing\n::error::x", option, "nothing\n::error::x")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("auditlint: nothing\\n::error::x: ")


def test_audit_off_with_rules(folder: Any, advise: Any) -> None:
    """Told by the check of command lines, as an error, since rules are there; without rules it is one's choice."""
    write(folder, {"cmdline": "ro audit=0\n", "a.rules": RULES, "none.rules": "-D\n-b 8192\n"})
    status, out, _ = advise("--cmdline", "cmdline", "--rules", "a.rules")
    assert (status, codes(out)) == (1, ["AL851"])
    assert "cmdline:1:4: error: audit=0 turns auditing off" in out
    status, out, _ = advise("--cmdline", "cmdline", "--rules", "none.rules")
    assert (status, codes(out)) == (0, [])


def test_built_in_command_line_counts(folder: Any, advise: Any) -> None:
    write(folder, {"config": AUDIT + 'CONFIG_CMDLINE_BOOL=y\nCONFIG_CMDLINE="audit=0"\n', "a.rules": RULES})
    status, out, _ = advise("--config", "config", "--rules", "a.rules", "--kernel", "6.1", "--arch", "x86")
    assert (status, codes(out)) == (1, ["AL851"])
    assert "config:6:" in out


def test_configuration_says_the_kernel(folder: Any, advise: Any) -> None:
    """io_uring rules came with 5.16: the configuration of a 5.10 kernel decides, not the default."""
    write(folder, {"config": HEADER.format("5.10.197") + AUDIT, "a.rules": "-a always,io_uring -S openat -k u\n"})
    status, out, _ = advise("--config", "config", "--rules", "a.rules", "--select", "AL1,AL87")
    assert (status, codes(out)) == (1, ["AL143"])
    assert "checked for Linux 5.10 on x86_64, as the configuration says" in out
    status, out, _ = advise("--config", "config", "--rules", "a.rules", "--select", "AL1,AL87", "--kernel", "6.1")
    assert (status, codes(out)) == (0, [])


def test_configuration_of_a_very_old_kernel(folder: Any, advise: Any) -> None:
    write(folder, {"config": HEADER.format("2.6.32") + AUDIT + "CONFIG_AUDITSYSCALL=y\n", "a.rules": RULES})
    status, out, err = advise("--config", "config", "--rules", "a.rules", "--select", "AL1,AL87")
    assert (status, err) == (0, "")
    assert (
        "checked for Linux 2.6.32 on x86_64, as the configuration says; rules and command line for 3.10, the oldest"
        in out
    )


def test_configuration_says_the_security_module(folder: Any, advise: Any) -> None:
    write(folder, {"config": "CONFIG_NET=y\nCONFIG_AUDIT=y\n", "a.rules": "-a always,exit -S mount -F subj_type=x_t\n"})
    _, out, _ = advise("--config", "config", "--rules", "a.rules", "--kernel", "6.1", "--select", "AL228")
    assert codes(out) == ["AL228"]


def test_command_line_of_a_kernel_without_audit(folder: Any, advise: Any) -> None:
    write(folder, {"config": "CONFIG_NET=y\n# CONFIG_AUDIT is not set\n", "cmdline": "ro audit=1\n", "a.rules": RULES})
    status, out, _ = advise("--config", "config", "--cmdline", "cmdline", "--rules", "a.rules", "--kernel", "6.1")
    assert status == 1
    assert codes(out) == ["AL856", "AL871"]


def image(folder: Any) -> None:
    write(
        folder,
        {
            "root/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
            "root/etc/group": "root:x:0:\n",
            "root/etc/audit/rules.d/10-no-audit.rules": "-D\n-b 320\n-a task,never\n",
            "root/etc/default/grub": 'GRUB_CMDLINE_LINUX="ro audit=1 audit_backlog_limit=8192"\n',
            "50-x.rules": "-w /etc/passwd -p wa -k id\n-a always,exit -F arch=b64 -F auid=ntp -S mount -k m\n",
        },
    )


def test_image_gives_rules_command_line_and_facts(folder: Any, advise: Any) -> None:
    image(folder)
    status, out, err = advise("--root", "root", "--rules", "50-x.rules")
    assert (status, err) == (1, "")
    assert codes(out) == ["AL126", "AL876", "AL877", "AL877"]
    assert "root/etc/audit/rules.d: read from the image\nroot/etc/default/grub: read from the image\n" in out
    assert "no user ntp on this host" in out
    assert out.splitlines()[-1] == "auditlint advise: 2 errors, 2 warnings, 0 advice"


def test_links_stay_inside_the_image(folder: Any, advise: Any) -> None:
    """An absolute link in an image means the image, not the machine that builds it."""
    image(folder)
    (folder / "root/etc/audit/rules.d/10-no-audit.rules").unlink()
    (folder / "root/etc/audit/rules.d").rmdir()
    write(folder, {"root/usr/share/rules/a.rules": "-D\n-w relative -p wa\n"})
    (folder / "root/etc/audit/rules.d").symlink_to("/usr/share/rules")
    status, out, _ = advise("--root", "root", "--select", "AL1")
    assert status == 1
    assert out.startswith("root/etc/audit/rules.d/a.rules:2:")
    (folder / "root/etc/audit/rules.d").unlink()
    (folder / "root/etc/audit/rules.d").symlink_to("rules.d")
    status, out, err = advise("--root", "root", "--select", "AL1")
    assert (status, codes(out), err) == (0, [], "")


def test_audit_on_for_nothing(folder: Any, advise: Any) -> None:
    write(folder, {"root/etc/kernel/cmdline": "ro audit=1\n"})
    status, out, _ = advise("--root", "root", "--select", "AL87")
    assert (status, codes(out)) == (1, ["AL875"])
    write(folder, {"root/usr/sbin/auditctl": ""})
    status, out, _ = advise("--root", "root", "--select", "AL87")
    assert (status, codes(out)) == (0, [])


def test_forms_and_fail_on(folder: Any, advise: Any) -> None:
    image(folder)
    words = ("--root", "root", "--rules", "50-x.rules")
    _, out, _ = advise(*words, "--format", "text", "--format", "json:out.json", "--format", "sarif:out.sarif")
    report = json.loads((folder / "out.json").read_text())
    assert [each["code"] for each in report["findings"]] == codes(out)
    assert report["summary"]["errors"] == 2
    assert report["summary"]["rules"] == 3
    assert len(json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]) == 4
    assert advise(*words, "--fail-on", "never")[0] == 0
    assert advise(*words, "--fail-on", "error")[0] == 1
    assert advise(*words, "--fail-on", "error", "--ignore", "AL126,AL877")[0] == 0
    assert advise(*words, "--ignore", "AL1,AL8")[0] == 0
    assert advise(*words, "--format", "json")[1].startswith("{")


def test_advice_of_parts_is_left_out(folder: Any, advise: Any, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, {"a.rules": "-D\n-i\n-w /etc/passwd -p wa\n-a never,task\n", "cmdline": "ro audit=0\n"})
    assert run(["check", "--no-config", "--select", "AL017", "--fail-on", "advice", "a.rules"]) == 1
    capsys.readouterr()
    _, out, _ = advise("--rules", "a.rules", "--fail-on", "advice")
    assert not re.search(r": advice: ", out)


def test_layers_of_a_configuration(folder: Any, advise: Any) -> None:
    write(folder, {"base": "CONFIG_NET=y\nCONFIG_AUDIT=y\n", "more": "# CONFIG_AUDIT is not set\n", "a.rules": RULES})
    status, out, _ = advise(
        "--config", "base", "--config", "more", "--rules", "a.rules", "--kernel", "6.1", "--select", "AL87"
    )
    assert (status, codes(out)) == (1, ["AL871"])


def test_no_output_can_harm(folder: Any, advise: Any) -> None:
    name = "::error::\u202e##[error]\x1b[2J\n.rules"
    write(folder, {name: "-w /etc/##[add-mask]x -p z\n-w\ta\n", "cmdline": "audit=1 audit_backlog_limit=\x1b[2J\n"})
    _, out, err = advise("--rules", name, "--cmdline", "cmdline")
    for line in (out + err).splitlines():
        assert line.isprintable()
        assert not line.startswith("::")
        assert "##[" not in line


BUILDROOT = {
    "configs/my_defconfig": "BR2_aarch64=y\n"
    'BR2_LINUX_KERNEL_CUSTOM_VERSION_VALUE="6.1.50"\n'
    'BR2_LINUX_KERNEL_CUSTOM_CONFIG_FILE="board/linux.config"\n'
    'BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES="board/a.cfg"\n',
    "board/linux.config": AUDIT,
    "board/a.cfg": "# CONFIG_AUDIT is not set\n# CONFIG_SECURITY_APPARMOR is not set\n",
    "board.scc": "define KARCH arm64\nkconf hardware board/a.cfg\n",
    "a.rules": RULES,
}


def test_a_list_stands_for_the_files_that_it_names(folder: Any, advise: Any) -> None:
    write(folder, BUILDROOT)
    status, out, _ = advise("--config", "configs/my_defconfig", "--rules", "a.rules", "--select", "AL87")
    assert (status, codes(out)) == (1, ["AL871"])
    assert out.startswith(
        "board/a.cfg:1:1: error: none of the 2 rules can be loaded: Linux 6.1 on arm64 has no CONFIG_AUDIT"
    )
    assert "checked for Linux 6.1 on aarch64, as the configuration says\n" in out
    words = ("--config", "board/linux.config", "--config", "board.scc", "--rules", "a.rules", "--select", "AL87")
    status, out, _ = advise(*words, "--kernel", "6.1")
    assert (status, codes(out)) == (1, ["AL871"])
    assert "checked for aarch64, as the configuration says\n" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cmdline", "ro audit=1\n"),
        ("a.rules", RULES),
        ("gone.scc", "kconf hardware gone.cfg\n"),
        ("my_defconfig", "BR2_LINUX_KERNEL_USE_DEFCONFIG=y\n"),
        ("other_defconfig", "BR2_x86_64=y\n"),
    ],
)
def test_what_holds_no_configuration_is_no_configuration(name: str, text: Any, folder: Any, advise: Any) -> None:
    """A gate in a build must not pass because it was given the wrong file."""
    write(folder, {name: text})
    assert advise("--config", name) == (2, "", f"auditlint: {name}: not a kernel configuration\n")


def test_a_file_that_a_list_names_is_not_there(folder: Any, advise: Any) -> None:
    write(folder, {"x.scc": "kconf hardware here.cfg\nkconf hardware gone.cfg\n", "here.cfg": "CONFIG_AUDIT=y\n"})
    status, out, _ = advise("--config", "x.scc", "--kernel", "6.1", "--machine", "x86_64")
    assert status == 0
    assert "x.scc: ignored, because they do not exist: gone.cfg\n" in out


B64 = "-D\n-a always,exit -F arch=b64 -S mount -k m\n"


def test_no_rules_for_programs_that_cannot_run(folder: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """AL401 must not ask for what AL873 then calls useless."""
    write(
        folder,
        {
            "without": AUDIT,
            "with": AUDIT + "CONFIG_IA32_EMULATION=y\n",
            "fragment": "CONFIG_AUDIT=y\n",
            "resolved": HEADER.format("6.1.9") + AUDIT + "CONFIG_AUDITSYSCALL=y\nCONFIG_64BIT=y\n",
            "b64.rules": B64,
            "both.rules": B64 + "-a always,exit -F arch=b32 -S mount -k m\n",
        },
    )

    def found(config: Any, rules: Any, machine: str = "x86_64") -> Any:
        words = ["--kernel", "6.1", "--machine", machine, "--select", "AL401,AL873"]
        run(["advise", "--config", config, "--rules", rules, *words])
        return codes(capsys.readouterr().out)

    assert found("without", "b64.rules") == []
    assert found("without", "both.rules") == ["AL873"]
    assert found("without", "b64.rules", "aarch64") == []
    assert found("without", "both.rules", "aarch64") == ["AL873"]
    assert found("resolved", "b64.rules") == []
    for config in ("with", "fragment"):
        assert found(config, "b64.rules") == ["AL401"]
        assert found(config, "both.rules") == []


def test_the_command_line_starts_no_module_that_is_built_in(folder: Any, advise: Any) -> None:
    write(folder, {"config": AUDIT, "cmdline": "ro lsm=lockdown,yama\n"})
    words = ("--config", "config", "--cmdline", "cmdline", "--kernel", "6.1", "--machine", "x86_64")
    status, out, _ = advise(*words, "--fail-on", "advice")
    assert (status, codes(out)) == (1, ["AL878"])
    assert "SELinux and AppArmor denials leave no trace" in out


def test_a_kernel_without_audit_makes_the_rest_void(folder: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """No price, order or load of rules that cannot be loaded at all, and one number of rules."""
    rules = "-D\n-a never,task\n-w /etc/passwd -p wa\n-a always,exit -F arch=b64 -S opn -k x\n-w /a -p r\n-w /b -p r\n"
    write(folder, {"config": "CONFIG_NET=y\n", "cmdline": "ro audit=1\n", "r/a.rules": rules})
    words = ["advise", "--config", "config", "--cmdline", "cmdline", "--rules", "r", "--kernel", "6.1"]
    assert run([*words, "--machine", "x86_64"]) == 1
    out = capsys.readouterr().out
    assert codes(out) == ["AL856", "AL871"]
    assert "none of the 5 rules can be loaded" in out
    assert "rules load" not in out
    assert run([*words, "--machine", "x86_64", "--ignore", "AL871"]) == 1
    assert "AL115" in codes(capsys.readouterr().out)


@pytest.mark.parametrize("other", [(), ("--root", "root")])
def test_a_folder_without_rules_is_no_set_of_rules(other: Any, folder: Any, advise: Any) -> None:
    write(folder, {"root/etc/passwd": "root:x:0:0\n"})
    (folder / "empty").mkdir()
    assert advise("--rules", "empty", *other) == (2, "", "auditlint: empty: no rule file found\n")


def test_what_an_image_lacks_is_said(folder: Any, advise: Any) -> None:
    (folder / "empty").mkdir()
    status, out, err = advise("--root", "empty")
    assert (status, out) == (2, "")
    assert err == "auditlint: empty: not an image: it holds neither etc nor usr nor boot (--root)\n"
    write(folder, {"root/etc/passwd": "root:x:0:0\n"})
    status, out, err = advise("--root", "root")
    assert (status, err) == (0, "")
    assert "root: no rules found (etc/audit/rules.d or etc/audit/audit.rules)\n" in out
    assert "root: no kernel command line found (a boot entry or " in out


def test_what_is_judged_by_default_is_said(folder: Any, advise: Any) -> None:
    write(folder, {"a.rules": RULES})
    assert (
        f"checked for Linux {DEFAULT_KERNEL} on x86_64; choose with --kernel and --machine\n"
        in advise("--rules", "a.rules")[1]
    )
    out = advise("--rules", "a.rules", "--kernel", "6.1")[1]
    assert "checked for Linux 6.1 on x86_64; choose with --machine\n" in out
    assert "judged" not in advise("--rules", "a.rules", "--kernel", "6.1", "--machine", "aarch64")[1]


def test_the_image_has_the_configuration_of_its_kernel(folder: Any, advise: Any) -> None:
    """The newest of those of the wanted line; links stay inside the image."""
    write(
        folder,
        {
            "root/boot/config-6.1.0-9-amd64": HEADER.format("6.1.27") + AUDIT,
            "root/boot/config-6.1.0-13-amd64": HEADER.format("6.1.55") + "CONFIG_NET=y\n",
            "root/boot/config-5.10.0-9-amd64": HEADER.format("5.10.9") + AUDIT + "CONFIG_AUDITSYSCALL=y\n",
            "root/boot/config-x": "CONFIG_NET=y\n",
            "root/etc/audit/rules.d/a.rules": RULES,
        },
    )
    (folder / "root/usr/lib/modules/6.0.1").mkdir(parents=True)
    (folder / "root/usr/lib/modules/6.0.1/config").symlink_to("/nowhere")
    status, out, _ = advise("--root", "root", "--select", "AL87")
    assert (status, codes(out)) == (1, ["AL871"])
    assert "root/boot/config-6.1.0-13-amd64: read from the image, the newest of 3\n" in out
    assert "checked for Linux 6.1 on x86_64, as the configuration says\n" in out
    status, out, _ = advise("--root", "root", "--select", "AL87", "--kernel", "5.10")
    assert (status, codes(out)) == (0, [])
    assert "root/boot/config-5.10.0-9-amd64: read from the image\n" in out
    write(folder, {"c": HEADER.format("6.1.55") + AUDIT + "CONFIG_AUDITSYSCALL=y\n"})
    assert "boot/config" not in advise("--root", "root", "--config", "c", "--select", "AL87")[1]


def test_a_tree_can_be_named(folder: Any, advise: Any) -> None:
    write(
        folder,
        {
            "config": "CONFIG_NET=y\nCONFIG_AUDIT=y\n",
            "tree/Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\nEXTRAVERSION =\n",
            "tree/Kconfig": 'source "init/Kconfig"\nsource "security/Kconfig"\nsource "arch/$(SRCARCH)/Kconfig"\n',
            "tree/init/Kconfig": 'config NET\n\tbool "net"\nconfig AUDIT\n\tbool "audit"\n\tdepends on NET && n\n',
            "tree/security/Kconfig": "",
            "tree/arch/x86/Kconfig": "config X86\n\tdef_bool y\n",
            "a.rules": RULES,
        },
    )
    words = ("--config", "config", "--rules", "a.rules", "--machine", "x86_64", "--select", "AL87")
    assert codes(advise(*words, "--kernel", "6.1")[1]) == []
    assert codes(advise(*words, "--tree", "tree")[1]) == ["AL871"]


@pytest.mark.parametrize("target", ["x.config", "cmdline", "a.rules", "rules.d/b.rules", "f.toml", "s.toml"])
def test_a_report_does_not_replace_what_it_is_about(folder: Any, advise: Any, target: str) -> None:
    files = {"x.config": AUDIT, "cmdline": "audit=1\n", "a.rules": RULES, "rules.d/b.rules": RULES}
    files |= {"f.toml": "", "s.toml": ""}
    write(folder, files)
    parts = ["--config", "x.config", "--cmdline", "cmdline", "--rules", "a.rules", "--rules", "rules.d"]
    status, _, err = advise(*parts, "--facts", "f.toml", "--settings", "s.toml", "--output", target)
    assert (status, err) == (2, f"auditlint: {target}: the report would overwrite this input\n")
    assert {name: (folder / name).read_text() for name in files} == files
