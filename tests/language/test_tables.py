"""The tables: that they agree with each other, and spot values from the manuals and headers."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from auditlint.auditctl import tables
from auditlint.auditctl.field_table import field_facts
from auditlint.core.data import load_toml, rows
from auditlint.core.target import AUDITCTL_RELEASES

FACTS = Path(__file__).resolve().parent.parent / "facts/perm-masks.tsv"
"""What each letter of perm adds to a mask, as auditctl 4.2 prints it. Only tests need it: it is not shipped."""


def test_fields_agree_with_the_facts_about_fields() -> None:
    facts = {field["name"]: field for field in load_toml("fields.toml")["field"] if field["kind"] != "hidden"}
    known = tables.fields("4.2")
    assert {info.name for info in known.values()} == set(facts)
    for name, field in facts.items():
        info = known[name]
        assert info.number == field["id"]
        lists = {text.split(" ")[0] for text in field["lists_userspace"]}
        assert (info.lists or {"task", "exit", "user", "exclude", "filesystem", "io_uring"}) == lists
        assert (info.operators or set(field["ops_userspace"])) == set(field["ops_userspace"])
        assert all(known[alias] is info for alias in field.get("aliases", ()))


def test_perm_masks_are_the_calls_that_a_machine_has() -> None:
    """Two tables tell the same for the newest release."""
    checked = 0
    for line in FACTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        machine, letter, mask, *_ = line.split("\t")
        known = tables.calls(machine, "4.2")
        assert [call for call in tables.perm_calls("4.2")[letter] if call in known] == mask.split(",")
        checked += 1
    assert checked == 36


def test_since_columns_only_add() -> None:
    for machine in ("x86_64", "i386", "aarch64", "s390x", "riscv64"):
        sizes = [len(tables.calls(machine, release)) for release in AUDITCTL_RELEASES]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1] or machine == "riscv64"


def test_names_and_numbers() -> None:
    assert tables.calls("x86_64", "4.2")["execve"] == 59
    assert tables.call_names("x86_64", "4.2")[59] == "execve"
    assert "cachestat" not in tables.calls("x86_64", "3.0.9")
    assert "cachestat" in tables.calls("x86_64", "3.1.2")
    assert tables.calls("alpha", "2.8.5")["exit"] == 1
    assert tables.kernel_calls("x86_64")["pread64"] == 17
    assert tables.kernel_calls("ppc64le")["execve"] == tables.kernel_calls("ppc64")["execve"] == 11
    assert tables.kernel_calls("mips_o32")["exit"] == 4001
    assert tables.kernel_call_names("aarch64")[221] == "execve"
    assert tables.kernel_spelling("x86_64")["pread64"] == "pread"
    assert tables.kernel_spelling("i386")["kexec_load"] == "sys_kexec_load"
    assert tables.call_since_kernel()["bpf"] == "3.18"
    assert "uselib" in tables.call_removed_kernel()
    assert tables.arch_values()[0xC000003E] == "x86_64"
    assert tables.arch_values()[0xC0000102] == "loongarch64"


def test_error_numbers_are_those_of_the_host() -> None:
    known = tables.error_numbers()
    assert all(known[name] == number for number, name in errno.errorcode.items() if name in known)
    assert tables.error_numbers("alpha")["EAGAIN"] == 35
    assert tables.error_numbers("powerpc")["EAGAIN"] == 11


def test_other_names() -> None:
    assert tables.record_types("4.2")["SYSCALL"] == 1300
    assert "URINGOP" not in tables.record_types("2.8.5")
    assert tables.record_names()[1300] == "SYSCALL"
    assert tables.filesystem_magics()["tmpfs"] == 0x01021994
    assert tables.address_families()["inet6"] == 10
    assert tables.comparison_pairs()[1] == ("uid", "obj_uid", True)
    assert len(tables.comparisons()) == 50
    assert tables.io_uring_operations("3.0.9") == {}
    assert tables.io_uring_operations("3.1.5")["send_zc"] == 47
    assert "send_zc" not in tables.io_uring_operations("4.2")


@pytest.mark.parametrize("name", ["uid", "UİD", "Kelvin K"])
def test_fold_knows_only_ascii(name: str) -> None:
    assert tables.fold(name) == "".join(c.lower() if c.isascii() else c for c in name)


def test_tables_equal_the_reference(shared: Path) -> None:
    """What was copied has not been changed by accident. Tables that nothing reads are not shipped."""
    compared = 0
    for path in sorted((shared / "spec" / "syscalls").rglob("*.tsv")):
        name = path.relative_to(shared / "spec").as_posix()
        if path.name in ("families.tsv", "userspace-vs-kernel.tsv"):
            continue
        compared += 1
        expected = [
            line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line and line[0] != "#"
        ]
        assert list(rows(name)) == expected, name
    assert compared > 30


def test_all_calls_are_those_of_the_machines() -> None:
    names = set()
    for machine in tables.machines():
        names |= {*tables.calls(machine, "4.2"), *tables.kernel_calls(machine)}
    assert tables.all_calls() == names


def test_refusals_of_fields_are_kinds_of_problems(root: Path) -> None:
    """The type of a problem's kind lists what the table says, and each kind once."""
    text = (root / "auditlint/auditctl/model.py").read_text(encoding="utf-8")
    block = text[text.index("ProblemKind: TypeAlias") :]
    kinds = re.findall(r'^ +"([\w-]+)",$', block[: block.index("]\n")], re.MULTILINE)
    assert len(kinds) == len(set(kinds)) > 50
    assert {field.refusal for field in field_facts().values()} - {"-"} <= set(kinds)
