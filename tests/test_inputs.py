"""Reading what the user names: every odd input is one clear line, never a hang."""

import io
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.core.source import Source
from auditlint.io import inputs
from auditlint.io.inputs import LARGEST, kind_of, read_file, read_inputs, read_rules_d, read_stdin


def all_inputs(*paths: Any, **how: Any) -> Any:
    return list(read_inputs([str(path) for path in paths], auditctl="4.2", **how))


def message(call: Any, *arguments: Any, **how: Any) -> str:
    with pytest.raises(UserError) as caught:
        call(*arguments, **how)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_bytes(b"-w /a\r\n\xff")
    source = read_file(str(path))
    assert (source.path, source.data) == (str(path), b"-w /a\r\n\xff")


def test_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.rules").write_text("-w /a\n")
    (tmp_path / "l.rules").symlink_to("a.rules")
    assert read_file(str(tmp_path / "l.rules")).data == b"-w /a\n"


def test_missing_file(tmp_path: Path) -> None:
    assert message(read_file, str(tmp_path / "no")) == f"{tmp_path}/no: No such file or directory"
    assert message(read_file, "") == "'': No such file or directory"


def test_impossible_names(tmp_path: Path) -> None:
    assert "null" in message(read_file, "a\0b")
    assert "too long" in message(read_file, "n" * 5000)


def test_file_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    assert "Not a directory" in message(read_file, f"{tmp_path}/f/x")


def test_link_loop(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "symbolic links" in message(read_file, str(tmp_path / "a"))


def test_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.rules")
    text = message(read_file, str(tmp_path / "p.rules"))
    assert text == f"{tmp_path}/p.rules: is a pipe, not a regular file; use - to read standard input"


def test_devices_and_sockets_are_not_opened(tmp_path: Path) -> None:
    assert "is a device" in message(read_file, "/dev/zero")
    assert "is a directory" in message(read_file, str(tmp_path))
    name = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        assert "is a socket" in message(read_file, name)


def test_pipe_that_takes_the_place_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking and opening the name may change."""
    path = tmp_path / "a.rules"
    path.write_text("")
    before = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda name, **how: before if str(name) == str(path) else real(name, **how))
    assert "is a pipe" in message(read_file, str(path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("")
    path.chmod(0)
    assert message(read_file, str(path)) == f"{path}: Permission denied"


def test_too_large_file(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    with path.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    assert message(read_file, str(path)) == f"{path}: larger than 32 MiB, the limit for rule files and configurations"


class Standard:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Standard(b"-w /a\n"))
    assert read_stdin("x.rules").data == b"-w /a\n"
    monkeypatch.setattr(sys, "stdin", Standard(b"-w /a\n"))
    (found,) = all_inputs("-", stdin_name="x.rules")
    assert (found.kind, found.path, found.sources[0].path) == ("rules", "x.rules", "x.rules")


def test_standard_input_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "only once" in message(all_inputs, "-", "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert message(all_inputs, "-") == "standard input is closed"


def test_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.rules").write_text("")
    (tmp_path / ".config").write_text("CONFIG_AUDIT=y\n")
    found = all_inputs(tmp_path / "a.rules", tmp_path / ".config")
    assert [each.kind for each in found] == ["rules", "config"]
    assert kind_of(Source("x", b"-w /a\n")) == "rules"
    assert kind_of(Source("x", b"-w /a\n"), "fragment") == "fragment"
    assert kind_of(Source("empty", b" \n")) == "rules"
    assert "--kind" in message(kind_of, Source("x", b"what is this"))
    assert "not a directory" in message(kind_of, Source("x", b""), "rules.d")


def test_directory_with_rules_is_rules_d(tmp_path: Path) -> None:
    for name, text in (("10.rules", "-w /b\n"), ("9.rules", "-w /a\n"), ("note.txt", ""), (".config", "CONFIG_A=y\n")):
        (tmp_path / name).write_text(text)
    (found,) = all_inputs(tmp_path)
    assert (found.kind, found.path) == ("rules.d", str(tmp_path))
    assert [source.path for source in found.sources] == [f"{tmp_path}/9.rules", f"{tmp_path}/10.rules"]


def test_other_directories_are_searched(tmp_path: Path) -> None:
    for name, text in (
        ("arch/arm/configs/b_defconfig", "CONFIG_AUDIT=y\n"),
        ("etc/a.rules", "-w /a\n"),
        ("README", "text"),
        (".git/x.rules", "-w /a\n"),
        ("boot/cmdline", "audit=1"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.rules2")
    found = [(each.kind, each.path.removeprefix(f"{tmp_path}/")) for each in all_inputs(tmp_path)]
    assert found == [("config", "arch/arm/configs/b_defconfig"), ("rules", "etc/a.rules")]
    assert [each.path for each in all_inputs(tmp_path, kind="rules")] == [f"{tmp_path}/etc/a.rules"]
    assert all_inputs(tmp_path, search=False)[0].sources == ()
    assert all_inputs(f"{tmp_path}/etc/", kind="rules.d")[0].sources[0].path == f"{tmp_path}/etc/a.rules"


def test_what_a_search_finds_comes_in_the_order_of_paths(tmp_path: Path) -> None:
    names = ["a/b_defconfig", "a-b/c.scc", "debian/config/config", "b.scc", "c.rules.d/z.rules", "a/a_defconfig"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("-w /a\n" if name.endswith("rules") else "CONFIG_AUDIT=y\n")
    found = [each.path.removeprefix(f"{tmp_path}/") for each in all_inputs(tmp_path)]
    order = ["a/a_defconfig", "a/b_defconfig", "a-b/c.scc", "b.scc", "c.rules.d", "debian/config"]
    assert found == order


def test_a_search_takes_what_is_unmistakable(tmp_path: Path) -> None:
    rules = "-D\n-w /a -p wa -k a\n# more\n-a always,exit -S all -k b\n"
    for name, text in (
        ("README.md", f"Write:\n\n```\n{rules}```\n"),
        ("tool.py", f'RULES = """\n{rules}"""\nCONFIG_AUDIT=1\n'),
        ("config.py", "CONFIG_X = 1\n"),
        ("check_defconfig.sh", "set -e\n-w\nCONFIG_A=y\n"),
        ("audit/all", rules),
        ("audit/two", "-D\n-w /a -p wa -k a\n"),
        ("cfg/audit.cfg", "# audit\nCONFIG_AUDIT=y\n"),
        ("etc/rules.d/20-b.rules", "-w /b -p wa -k b\n"),
        ("etc/rules.d/10-a.rules", "-D\n"),
        ("etc/udev/rules.d/50.rules", 'KERNEL=="sda"\n'),
        ("lib/x.rules", "alert tcp any any -> any 80 (sid:1;)\n"),
        ("lib/empty.rules", "# nothing yet\n"),
        ("env/pyvenv.cfg", "home = /usr\n"),
        ("env/a.rules", rules),
        ("venv/a.rules", rules),
        ("lib/site-packages/a.rules", rules),
        ("bin/blob", rules + "\0"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = {each.path.removeprefix(f"{tmp_path}/"): (each.kind, each.by_content) for each in all_inputs(tmp_path)}
    assert found == {
        "audit/all": ("rules", True),
        "cfg/audit.cfg": ("fragment", True),
        "etc/rules.d": ("rules.d", False),
        "lib/empty.rules": ("rules", False),
    }
    assert [each.kind for each in all_inputs(tmp_path / "README.md", tmp_path / "audit/two")] == ["rules", "rules"]


def write(folder: Any, files: Any) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_layers_of_configurations_are_put_together(tmp_path: Path) -> None:
    root = tmp_path / "redhat/configs"
    write(
        root,
        {
            "common/generic/CONFIG_AUDIT": "CONFIG_AUDIT=y\n",
            "common/generic/x86/x86_64/CONFIG_NET": "CONFIG_NET=y\n",
            "rhel/generic/CONFIG_AUDIT": "# CONFIG_AUDIT is not set\n",
        },
    )
    (found,) = all_inputs(tmp_path)
    assert (found.kind, found.path) == ("config", f"{root}/rhel/generic/x86/x86_64")
    assert [source.path.removeprefix(f"{root}/") for source in found.sources] == [
        "common/generic/CONFIG_AUDIT",
        "common/generic/x86/x86_64/CONFIG_NET",
        "rhel/generic/CONFIG_AUDIT",
    ]


def test_a_list_of_fragments_is_followed(tmp_path: Path) -> None:
    write(
        tmp_path / "features",
        {
            "audit/audit.scc": "kconf non-hardware audit.cfg\ninclude gone.scc\n",
            "audit/audit.cfg": "CONFIG_AUDIT=y\n",
            "other/other.cfg": "CONFIG_NET=y\n",
        },
    )
    scc = str(tmp_path / "features/audit/audit.scc")
    (found,) = all_inputs(scc)
    assert (found.kind, found.path) == ("fragment", scc)
    assert [source.path for source in found.sources] == [scc.replace(".scc", ".cfg")]
    assert found.note == "ignored, because they do not exist: gone.scc"
    assert [each.path.rpartition("/")[2] for each in all_inputs(tmp_path)] == ["audit.scc", "other.cfg"]


def test_odd_names_in_rules_d(tmp_path: Path) -> None:
    (tmp_path / "10.rules").write_text("-w /a\n")
    (tmp_path / "20.rules").mkdir()
    (tmp_path / "30.rules").symlink_to("nowhere")
    (tmp_path / "40.rules").symlink_to("40.rules")
    (tmp_path / "50.rules").symlink_to("10.rules")
    (tmp_path / "60.rules.bak").write_text("")
    found = read_rules_d(str(tmp_path), "4.2")
    assert [source.path.rpartition("/")[2] for source in found.sources] == ["10.rules", "50.rules"]
    assert [left.name for left in found.left_out] == ["60.rules.bak", "20.rules", "30.rules", "40.rules"]


def test_pipe_in_rules_d(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "10.rules")
    assert "is a pipe" in message(read_rules_d, str(tmp_path), "4.2")


def test_one_file_may_be_read_twice_by_old_scripts(tmp_path: Path) -> None:
    (tmp_path / "a b.rules").write_text("-w /a\n")
    (tmp_path / "b.rules").write_text("-w /b\n")
    assert len(read_rules_d(str(tmp_path), "4.0.3").sources) == 2
    assert len(read_rules_d(str(tmp_path), "4.2").sources) == 2


def test_directory_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in message(read_rules_d, str(tmp_path / "no"), "4.2")
    (tmp_path / "big1.rules").write_bytes(b"#" * (LARGEST // 2 + 1))
    (tmp_path / "big2.rules").write_bytes(b"#" * (LARGEST // 2 + 1))
    assert "together" in message(read_rules_d, str(tmp_path), "4.2")


def test_too_many_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.rules").write_text("-w /a\n-w /b\n")
    (tmp_path / "b.rules").write_text("-w /c\n-w /d\n")
    monkeypatch.setattr(inputs, "MOST_LINES", 3)
    assert all_inputs(tmp_path / "a.rules")
    assert message(all_inputs, tmp_path) == f"{tmp_path}/a.rules: more than 3 lines, the limit for rule files"
    monkeypatch.setattr(inputs, "MOST_LINES", 1)
    assert "more than 1 lines" in message(all_inputs, tmp_path / "a.rules")
