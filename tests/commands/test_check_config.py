"""`auditlint check` on configurations and command lines, as a whole process."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
APPARMOR = "CONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n# CONFIG_AUDIT is not set\n"
HEADER = "# Linux/arm64 6.1.99 Kernel Configuration\n"


def check(where: Any, *words: Any, text: Any = None) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "auditlint", "check", "--no-config", *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def found(done: Any) -> Any:
    assert done.stderr == ""
    return [(each["code"], each["file"], each["line"]) for each in json.loads(done.stdout)["findings"]]


def test_many_files_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "a_defconfig").write_text(APPARMOR)
    (tmp_path / "b.config").write_text("CONFIG_AUDIT_WATCH=y\n")
    (tmp_path / "cmdline").write_text("ro audit=1\n")
    done = check(tmp_path, "--kernel", "6.1", "--format", "json", "a_defconfig", "b.config", "cmdline")
    assert done.returncode == 1
    assert found(done) == [
        ("AL813", "a_defconfig", 3),
        ("AL805", "a_defconfig", 4),
        ("AL808", "b.config", 1),
        ("AL853", "cmdline", 1),
    ]


def test_packed_and_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "config.gz").write_bytes(gzip.compress((HEADER + "CONFIG_NET=y\nCONFIG_AUDIT=m\n").encode()))
    done = check(tmp_path, "--format", "json", "config.gz")
    assert found(done) == [("AL801", "config.gz", 3)]
    done = check(tmp_path, "--kernel", "6.1", "--format", "json", "--stdin-filename", "x_defconfig", "-", text=APPARMOR)
    assert found(done)[-1] == ("AL805", "x_defconfig", 4)


def test_what_is_assumed_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "a_defconfig").write_text("CONFIG_NET=y\n# CONFIG_AUDIT is not set\n")
    done = check(tmp_path, "a_defconfig")
    assert done.returncode == 0
    assert done.stdout.count("--kernel") == 1
    assert "a_defconfig: the file does not show the kernel and the architecture" in done.stdout
    assert "choose with --kernel and --arch" in done.stdout
    done = check(tmp_path, "--kernel", "6.1", "--arch", "arm64", "a_defconfig")
    assert "does not show" not in done.stdout


@pytest.mark.parametrize(("policy", "code", "status"), [("audit", "AL801", 1), ("no-audit", "AL814", 1)])
def test_policy(tmp_path: Path, policy: str, code: str, status: int) -> None:
    text = "# CONFIG_AUDIT is not set\n" if policy == "audit" else "CONFIG_AUDIT=y\n"
    (tmp_path / "a_defconfig").write_text("CONFIG_NET=y\n" + text)
    done = check(tmp_path, "--kernel", "6.1", "--policy", policy, "--format", "json", "a_defconfig")
    assert done.returncode == status
    assert [each[0] for each in found(done)] == [code]


def test_a_fragment_is_no_complete_configuration(tmp_path: Path) -> None:
    (tmp_path / "x.config").write_text("CONFIG_SECURITY_SELINUX=y\n")
    as_fragment = found(check(tmp_path, "--kernel", "6.1", "--format", "json", "x.config"))
    complete = found(check(tmp_path, "--kernel", "6.1", "--kind", "config", "--format", "json", "x.config"))
    assert [each[0] for each in as_fragment] == ["AL819"]
    assert [each[0] for each in complete] == ["AL801", "AL803"]


def test_built_in_command_line(tmp_path: Path) -> None:
    text = (
        'CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_CMDLINE_BOOL=y\nCONFIG_CMDLINE_OVERRIDE=y\nCONFIG_CMDLINE="ro audit=1"\n'
    )
    (tmp_path / "a_defconfig").write_text(text)
    done = check(tmp_path, "--kernel", "6.1", "--machine", "x86_64", "--select", "AL85", "a_defconfig")
    assert "a_defconfig:5:20: warning: a burst of events at boot is lost or slows the boot" in done.stdout
    assert "CMDLINE_OVERRIDE=y: it replaces what the boot loader gives" in done.stdout


def test_built_in_words_without_audit(tmp_path: Path) -> None:
    text = 'CONFIG_NET=y\nCONFIG_CMDLINE_BOOL=y\nCONFIG_CMDLINE="ro audit=1"\n'
    (tmp_path / "a_defconfig").write_text(text)
    done = check(tmp_path, "--kernel", "6.1", "--machine", "x86_64", "--select", "AL85", "a_defconfig")
    assert "this kernel has no CONFIG_AUDIT and passes the word to init" in done.stdout


def test_fixes_leave_the_rest_alone(tmp_path: Path) -> None:
    path = tmp_path / "a_defconfig"
    path.write_bytes(b"CONFIG_NET=y\r\nCONFIG_AUDIT = y\r\n")
    assert check(tmp_path, "--kernel", "6.1", "--fix", "a_defconfig").returncode == 1
    assert path.read_bytes() == b"CONFIG_NET=y\r\nCONFIG_AUDIT = y\r\n"  # the fix changes the kernel: unsafe
    check(tmp_path, "--kernel", "6.1", "--unsafe-fixes", "a_defconfig")
    assert path.read_bytes() == b"CONFIG_NET=y\r\nCONFIG_AUDIT=y\r\n"


def test_packed_files_are_not_fixed(tmp_path: Path) -> None:
    path = tmp_path / "x_defconfig.gz"
    data = gzip.compress(b"CONFIG_NET=y\nCONFIG_AUDIT = y\n")
    path.write_bytes(data)
    assert check(tmp_path, "--kernel", "6.1", "--unsafe-fixes", path.name).returncode == 1
    assert path.read_bytes() == data


def one_line(done: Any, *words: Any) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("auditlint: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


def test_hostile_files(tmp_path: Path) -> None:
    huge = tmp_path / ".config"
    with huge.open("wb") as stream:
        stream.truncate(100 << 20)
    one_line(check(tmp_path, ".config"), ".config", "MiB")
    (tmp_path / "bomb.config.gz").write_bytes(gzip.compress(bytes(40 << 20), 1))
    one_line(check(tmp_path, "--kind", "config", "bomb.config.gz"), "decompresses to more than")
    (tmp_path / "config.gz").write_bytes(b"\x1f\x8bnonsense")
    one_line(check(tmp_path, "config.gz"), "damaged")
    (tmp_path / "a_defconfig").write_text("CONFIG_NET=y\n")
    one_line(check(tmp_path, "--kernel", "6.1", "--arch", "vax", "a_defconfig"), "vax")
    (tmp_path / "y_defconfig").write_text("# Linux/vax 6.1.0 Kernel Configuration\nCONFIG_NET=y\n")
    one_line(check(tmp_path, "y_defconfig"), "y_defconfig", "vax")


def test_grub_file_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "grub").write_text('GRUB_CMDLINE_LINUX="$(touch ran) `touch ran` audit=0"\ntouch ran\n')
    done = check(tmp_path, "--format", "json", "grub")
    assert [each[0] for each in found(done)] == ["AL851"]
    assert not (tmp_path / "ran").exists()


def test_odd_bytes_give_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "a_defconfig").write_bytes(bytes(range(256)) * 40 + b'\nCONFIG_AUDIT=\xff\xfe\nCONFIG_LSM="\xc3"\n')
    done = check(tmp_path, "--kernel", "6.1", "a_defconfig")
    assert done.returncode in (0, 1)
    assert done.stderr == ""


TREE = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\nEXTRAVERSION =\n",
    "Kconfig": 'source "init/Kconfig"\nsource "security/Kconfig"\n',
    "init/Kconfig": (
        'config HAVE_ARCH_AUDITSYSCALL\n\tbool\n\tdefault y\nconfig NET\n\tbool "net"\n'
        'config AUDIT\n\tbool "audit"\n\tdepends on NET\n'
        'config AUDITSYSCALL\n\tbool "vendor prompt"\n\tdepends on AUDIT\n'
    ),
    "security/Kconfig": "",
    "arch/arm64/configs/board_defconfig": "CONFIG_NET=y\nCONFIG_AUDIT=y\n# CONFIG_AUDITSYSCALL is not set\n",
}


def plant(folder: Any, files: Any) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_a_file_in_a_kernel_tree_is_judged_by_that_tree(tmp_path: Path) -> None:
    """This tree gives AUDITSYSCALL its prompt back, as vendor trees do: the refusal holds."""
    plant(tmp_path, TREE)
    name = "arch/arm64/configs/board_defconfig"
    done = check(tmp_path, "--format", "json", name)
    assert [each[0] for each in found(done)] == ["AL802"]
    done = check(tmp_path, name)
    assert "Linux 6.1 on arm64" in done.stdout
    assert f"the Kconfig files of {tmp_path} (Linux 6.1.9) are used" in done.stdout
    done = check(tmp_path, "--kernel", "6.12", "--format", "json", name)
    assert [each[0] for each in found(done)] == ["AL820", "AL806"]  # another kernel is meant than that of the tree


def test_a_hostile_tree_is_neither_run_nor_fatal(tmp_path: Path) -> None:
    plant(tmp_path, TREE)
    for text in ('source "init/Kconfig"\n', "config X\n\tdefault $(shell,touch ran)\n\tbool\n", "if (\n"):
        (tmp_path / "init/Kconfig").write_text(text)
        done = check(tmp_path, "arch/arm64/configs/board_defconfig")
        assert done.returncode in (0, 1)
        assert done.stderr == ""
        assert not (tmp_path / "ran").exists()


def test_rules_beside_a_command_line_mean_that_audit_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "cmdline").write_text("ro quiet\n")
    (tmp_path / "rules.d").mkdir()
    (tmp_path / "rules.d/10.rules").write_text("-w /etc/passwd -p wa -k identity\n")
    words = ["--kernel", "6.1", "--select", "AL85", "--format", "json", "cmdline"]
    assert found(check(tmp_path, *words)) == []
    assert found(check(tmp_path, *words, "rules.d")) == [("AL852", "cmdline", 1)]
    assert found(check(tmp_path, *words, "rules.d/10.rules")) == [("AL852", "cmdline", 1)]


def test_the_report_says_what_each_input_was_judged_for(tmp_path: Path) -> None:
    plant(tmp_path, {".config": HEADER + "CONFIG_AUDIT=y\n", "x.cfg": "CONFIG_AUDIT=y\n", "a.rules": "-D\n"})
    report = json.loads(check(tmp_path, "--format", "json", ".config").stdout)
    assert report["target"]["kernel"] == "6.1"
    assert report["target"]["machine"] == "aarch64"
    assert report["inputs"] == [
        {"path": ".config", "kind": "config", "kernel": "6.1", "machine": "aarch64", "arch": "arm64", "note": ""}
    ]
    assert report["notes"] == []
    report = json.loads(check(tmp_path, "--format", "json", ".config", "x.cfg", "a.rules").stdout)
    newest = report["target"]["kernel"]
    assert report["target"]["machine"] == "x86_64"
    note = f"the file does not show the kernel and the architecture; judged for Linux {newest} on x86_64, choose with "
    note += "--kernel and --arch"
    assert [(each["path"], each["kernel"], each["arch"], each["note"]) for each in report["inputs"]] == [
        (".config", "6.1", "arm64", ""),
        ("x.cfg", newest, "x86_64", note),
        ("a.rules", newest, None, ""),
    ]
    assert report["notes"] == [f"x.cfg: {note}"]


def test_a_note_names_the_files_it_is_about(tmp_path: Path) -> None:
    plant(tmp_path, {f"{name}.cfg": "CONFIG_AUDIT=y\n" for name in "abcdef"})
    out = check(tmp_path, "--kernel", "6.1", "a.cfg", "b.cfg", "c.cfg").stdout
    assert "\na.cfg, b.cfg, c.cfg: the file does not show the architecture" in "\n" + out
    out = check(tmp_path, "--kernel", "6.1", ".").stdout
    assert (
        "\n./a.cfg, ./b.cfg, ./c.cfg, ./d.cfg and 2 more (--format json names them): the file does not show the arch"
        in "\n" + out
    )


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["--kernel", "5.10"], "judged for Linux 5.10 as asked, although the file says Linux 6.1"),
        (["--machine", "x86_64"], "judged for x86 as asked, although the file says arm64"),
        (
            ["--arch", "mips", "--kernel", "5.10"],
            "judged for Linux 5.10 on mips as asked, although the file says Linux 6.1 on arm64",
        ),
        (["--arch", "arm64", "--kernel", "6.1"], ""),
    ],
)
def test_what_is_asked_for_against_the_header(tmp_path: Path, words: list[str], note: str) -> None:
    text = (
        "#\n# Automatically generated file; DO NOT EDIT.\n# Linux/arm64 6.1.50 Kernel Configuration\n#\nCONFIG_NET=y\n"
    )
    plant(tmp_path, {".config": text, "arch/arm/configs/old_defconfig": text})
    report = json.loads(check(tmp_path, *words, "--format", "json", ".config").stdout)
    assert [each["note"] for each in report["inputs"]] == [note]
    if note:
        done = check(tmp_path, "--kernel", "5.10", "arch/arm/configs/old_defconfig")
        assert "although" not in done.stdout  # it is input for any kernel


def test_one_x86_is_no_other_architecture(tmp_path: Path) -> None:
    plant(tmp_path, {".config": "# Linux/x86 6.1.50 Kernel Configuration\nCONFIG_64BIT=y\nCONFIG_NET=y\n"})
    assert "although" not in check(tmp_path, "--machine", "x86_64", ".config").stdout
    assert "although the file says x86_64" in check(tmp_path, "--arch", "i386", ".config").stdout


def test_an_unknown_symbol_is_called_so_once(tmp_path: Path) -> None:
    plant(tmp_path, {"x.config": "CONFIG_NET=y\nCONFIG_CMDLINE_BOOL=y\n"})
    out = check(tmp_path, "--kernel", "6.1", "--arch", "arm64", "--select", "AL809", "x.config").stdout
    assert "this line has no effect: CMDLINE_BOOL does not exist in Linux 6.1 on arm64 [AL809 unknown-symbol]\n" in out


def test_a_tree_can_be_named(tmp_path: Path) -> None:
    """This tree gives AUDITSYSCALL its prompt back, so what is refused elsewhere holds."""
    plant(tmp_path, {f"tree/{name}": text for name, text in TREE.items()})
    config = TREE["arch/arm64/configs/board_defconfig"]
    plant(tmp_path, {"board_defconfig": config})
    words = ["--arch", "arm64", "--select", "AL802,AL806", "--format", "json"]
    assert [each[0] for each in found(check(tmp_path, *words, "--kernel", "6.1", "board_defconfig"))] == ["AL806"]
    done = check(tmp_path, *words, "--tree", "tree", "board_defconfig")
    assert [each[0] for each in found(done)] == ["AL802"]
    report = json.loads(done.stdout)
    assert (report["inputs"][0]["kernel"], report["notes"]) == (
        "6.1", ["board_defconfig: the Kconfig files of tree (Linux 6.1.9) are used"]
    )  # fmt: skip
    inside = "tree/arch/arm64/configs/board_defconfig"
    assert [each[0] for each in found(check(tmp_path, *words, inside))] == ["AL802"]
    assert [each[0] for each in found(check(tmp_path, *words, "--kernel", "6.1", "--no-tree", inside))] == ["AL806"]
    done = check(tmp_path, "--tree", "nowhere", "board_defconfig")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "nowhere: no such directory" in done.stderr
