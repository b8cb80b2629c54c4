"""Our tables are those of the real libaudit, which needs neither root nor a kernel for them."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_char, c_char_p, c_int, c_uint, c_uint32

import pytest

from auditlint.auditctl import tables
from tests.differential.lines import vocabulary
from tests.differential.standin import libaudit

pytestmark = pytest.mark.real
RELEASE = "3.0.9"
UNKNOWN = 0xFFFFFFFF
OPERATORS = {"=": 0x40000000, "!=": 0x30000000, "&": 0x08000000}


@pytest.fixture(scope="module")
def library() -> CDLL:
    try:
        found = libaudit()
    except OSError:
        pytest.skip("libaudit is not installed (Debian package libaudit1)")
    if not hasattr(found, "audit_get_session") or not _is_3_0_9(found):
        pytest.skip("libaudit is not 3.0.9")
    found.audit_machine_to_elf.restype = c_uint
    return found


def _is_3_0_9(library: CDLL) -> bool:
    """io_uring came with 3.1, exe!= with 3.0."""
    return bool(library.audit_name_to_flag(b"io_uring") == -1 and library.audit_name_to_field(b"saddr_fam") > 0)


def _words(*tables_of_names: object) -> list[str]:
    """Names of ours and of theirs, and some that neither has, in several cases."""
    words = {word for names in tables_of_names for word in names}  # type: ignore[attr-defined]
    words |= {"nosuch", "0", "-1", "1", "é"} | {word for names in vocabulary().values() for word in names if word}
    return sorted(words | {word.upper() for word in words} | {word.title() for word in words})


def test_machines(library: CDLL) -> None:
    names = tables.machine_names(RELEASE)
    for word in _words(tables.machines(), names):
        machine = library.audit_name_to_machine(word.encode())
        ours = names.get(tables.fold(word))
        if ours is None:
            assert machine < 0, word
        elif ours.elf:
            assert library.audit_machine_to_elf(machine) == ours.elf, word


@pytest.mark.parametrize("machine", ["x86_64", "i386", "ppc", "ppc64", "ppc64le", "s390", "s390x", "arm", "aarch64"])
def test_system_calls(library: CDLL, machine: str) -> None:
    index = library.audit_name_to_machine(machine.encode())
    names = tables.calls(machine, RELEASE)
    theirs = {library.audit_syscall_to_name(number, index) for number in range(2048)} - {None}
    assert len(names) > 300 and len(theirs) > 300
    for word in _words(names, [name.decode() for name in theirs]):
        assert library.audit_name_to_syscall(word.encode(), index) == names.get(tables.fold(word), -1), word


def test_record_types(library: CDLL) -> None:
    names = tables.record_types(RELEASE)
    for word in _words(names, tables.record_types("4.2")):
        number = library.audit_name_to_msg_type(word.encode())
        ours = names.get(word.upper() if word.isascii() else word)
        if ours is None:
            # The function also reads `UNKNOWN[1300]` and plain numbers.
            assert number == -1 or word[0].isdigit(), word
        elif not word.startswith("APPARMOR"):  # an optional build of libaudit, which Debian has
            assert number == ours, word
    theirs = {number: library.audit_msg_type_to_name(number) for number in range(1000, 3000)}
    for number, name in theirs.items():
        assert name is None or names.get(name.decode()) == number, name


def test_error_numbers(library: CDLL) -> None:
    names = tables.error_numbers()
    for word in _words(names):
        number = library.audit_name_to_errno(word.encode())
        assert number == names.get(word.upper() if word.isascii() else word, 0), word
        negative = library.audit_name_to_errno(b"-" + word.encode())
        assert negative == -number, word


def test_file_types(library: CDLL) -> None:
    names = tables.file_types()
    for word in _words(names):
        assert library.audit_name_to_ftype(word.encode()) == names.get(tables.fold(word), -1), word


def test_filesystem_types(library: CDLL) -> None:
    names = tables.filesystem_types(RELEASE)
    for word in _words(names, tables.filesystem_magics()):
        assert library.audit_name_to_fstype(word.encode()) == names.get(tables.fold(word), -1), word


def test_fields(library: CDLL) -> None:
    names = tables.fields(RELEASE)
    for word in _words(names, tables.fields("4.2"), tables.field_numbers()):
        ours = names.get(tables.fold(word))
        assert library.audit_name_to_field(word.encode()) == (ours.number if ours else -1), word


def test_lists_and_actions(library: CDLL) -> None:
    lists = {"user": 0, "task": 1, "exit": 4, "exclude": 5, "filesystem": 6}
    actions = {"never": 0, "possible": 1, "always": 2}
    for word in _words(lists, actions):  # the library takes any case; auditctl 3.0.9 compares the words itself
        assert library.audit_name_to_flag(word.encode()) == lists.get(tables.fold(word), -1), word
        assert library.audit_name_to_action(word.encode()) == actions.get(tables.fold(word), -1), word


class _Rule(Structure):
    """struct audit_rule_data with room for its text."""

    _fields_ = (
        ("flags", c_uint32), ("action", c_uint32), ("count", c_uint32), ("mask", c_uint32 * 64),
        ("fields", c_uint32 * 64), ("values", c_uint32 * 64), ("operators", c_uint32 * 64), ("size", c_uint32),
        ("text", c_char * 8192),
    )  # fmt: skip


def test_comparisons(library: CDLL) -> None:
    """Every pair of fields, both operators; the list must be exit."""
    function = library.audit_rule_interfield_comp_data
    function.argtypes = [POINTER(POINTER(_Rule)), c_char_p, c_int]
    pairs = tables.comparisons()
    names = [*tables.fields(RELEASE), "nosuch"]
    numbers = {name: info.name for name, info in tables.fields(RELEASE).items()}
    accepted = 0
    for left in names:
        for right in names:
            for sign, operator in OPERATORS.items():
                rule = _Rule()
                rule.flags = 4
                status = function(byref(POINTER(_Rule)(rule)), f"{left}{sign}{right}".encode(), 4)
                number = pairs.get((numbers.get(left, left), numbers.get(right, right)))
                if status == 0:
                    accepted += 1
                    assert (rule.fields[0], rule.operators[0], rule.values[0]) == (111, operator, number), (left, right)
                else:
                    assert number is None or sign == "&", (left, right, status)
    assert accepted > 100
