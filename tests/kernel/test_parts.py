"""The parts of the model one by one: numbers, places, storage, classes, labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditlint.auditctl import tables
from auditlint.auditctl.model import ALL_SYSCALLS, Field, Rule
from auditlint.core.facts import UNKNOWN, Facts, Mount
from auditlint.core.path_lookup import inside, resolve
from auditlint.core.target import Target
from auditlint.kernel import lsm as labels
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.effects import place_of
from auditlint.kernel.eval_context import EvalContext, see
from auditlint.kernel.event import ANY, UNSET, Event, Ids, PathObject, Range
from auditlint.kernel.exclude import type_number
from auditlint.kernel.fields import compare, holds
from auditlint.kernel.rule_walk import bucket_rules, visit
from auditlint.kernel.sets import Numbers
from auditlint.kernel.storage import EXIT, HASH, TASK, Storage, number_bit, store_rules

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "&", "&=")
TARGET = Target("6.1", "x86_64", "4.2")
B64, B32 = 0xC000003E, 0x40000003


def stored_rules(*rules: Rule, facts: Facts = UNKNOWN, target: Target = TARGET) -> Storage:
    return store_rules(rules, target, facts)


def exit_rule(*fields: Any, mask: int = ALL_SYSCALLS, prepend: bool = False) -> Rule:
    return Rule("exit", "always", mask, tuple(Field(*each) for each in fields), prepend)


def test_a_range_answers_for_all_its_numbers() -> None:
    for lo in range(9):
        for hi in range(lo, 9):
            for op in OPERATORS:
                for value in range(9):
                    answers = {compare(number, op, value) for number in range(lo, hi + 1)}
                    found = compare(Range(lo, hi), op, value)
                    assert found is None or answers == {found}, (lo, hi, op, value)
                    if len(answers) == 1 and op not in ("&", "&="):
                        assert found is not None, (lo, hi, op, value)


def test_sets_of_numbers_are_exact() -> None:
    for first in OPERATORS:
        for second in OPERATORS:
            for one in range(8):
                for two in range(8):
                    room = Numbers(((0, 7),)).given(first, one).given(second, two)
                    real = {n for n in range(8) if compare(n, first, one) and compare(n, second, two)}
                    assert bool(room) == bool(real)
                    assert room.member() in real if real else room.member() is None
                    for third in OPERATORS:
                        assert room.implies(third, 5) == all(compare(n, third, 5) for n in real)


@pytest.mark.parametrize(
    ("path", "follow", "expected"),
    [
        ("/a/b", False, "/a/b"),
        ("/a/b/", False, "/a/b"),
        ("//a/./b/../c", False, "/a/c"),
        ("/..", False, "/"),
        ("/l/f", False, "/etc/f"),
        ("/l", False, "/l"),
        ("/l", True, "/etc"),
        ("/l/../x", False, "/x"),
        ("/a/rel/f", False, "/a/etc/f"),
        ("/abs/f", False, "/etc/f"),
        ("/loop", True, "/loop"),
        ("/up/x", False, "/x"),
    ],
)
def test_paths_are_resolved_from_facts(path: str, follow: bool, expected: str) -> None:
    links = {"/l": "etc", "/a/rel": "etc", "/abs": "/l", "/loop": "loop", "/up": "../.."}
    assert resolve(path, Facts(symlinks=links), follow=follow) == expected


def test_links_that_multiply_end_soon() -> None:
    links = {f"/{n}": f"{n + 1}/{n + 1}/{n + 1}" for n in range(50)}
    assert len(resolve("/0", Facts(symlinks=links), follow=True)) < 1000


def test_inside() -> None:
    assert inside("/etc/ssh", "/etc")
    assert inside("/etc", "/etc")
    assert inside("/etc", "/")
    assert not inside("/etcetera", "/etc")


def test_where_rules_are_kept() -> None:
    facts = Facts(inodes={"/etc/f": 67}, symlinks={"/l": "etc"}, paths_missing=frozenset({"/etc/none"}))
    found = stored_rules(
        exit_rule(("uid", "=", 0)),
        exit_rule(("path", "=", "/l/f")),
        exit_rule(("path", "=", "/etc/none")),
        exit_rule(("path", "=", "/etc/other")),
        exit_rule(("inode", "=", 33)),
        exit_rule(("inode", "!=", 33)),
        exit_rule(("dir", "=", "/l")),
        exit_rule(("dir", "=", "/l/")),
        Rule("task", "never", ALL_SYSCALLS, ()),
        facts=facts,
    )  # fmt: skip
    assert [(each.place, each.path, each.bucket) for each in found.rules] == [
        (EXIT, None, None),
        (HASH, "/etc/f", 3),
        (HASH, "/etc/none", 31),
        (HASH, "/etc/other", None),
        (HASH, None, 1),
        (EXIT, None, None),
        (EXIT, "/l", None),
        (EXIT, "/etc", None),
        (TASK, None, None),
    ]
    assert found.counted == 9


def test_order_and_priority() -> None:
    """-A rules stand in front, the last one first; their priorities are above all others."""
    found = stored_rules(
        exit_rule(("uid", "=", 1)),
        exit_rule(("uid", "=", 2), prepend=True),
        exit_rule(("uid", "=", 3)),
        exit_rule(("uid", "=", 4), prepend=True),
        exit_rule(("path", "=", "/x")),
    )
    assert [each.rule.fields[0].value for each in found.exit] == [4, 2, 1, 3]
    assert [each.position for each in found.exit] == [0, 1, 2, 3]
    prios = {each.rule.fields[0].value: each.prio for each in found.rules}
    assert prios[4] > prios[2] > prios[1] > prios[3] > prios["/x"] > 1


def test_class_bits_become_their_members() -> None:
    """Measured: -S 2047 loads as the 15 calls that add or remove directory entries."""
    found = stored_rules(exit_rule(mask=1 << 2047), exit_rule(mask=1 << 2036), exit_rule(mask=ALL_SYSCALLS))
    numbers = [number for number in range(2048) if found.rules[0].mask >> number & 1]
    assert numbers == [82, 83, 84, 85, 86, 87, 88, 133, 258, 259, 263, 264, 265, 266, 316]
    assert found.rules[1].mask == 0
    assert found.rules[2].mask == (1 << 2032) - 1


def test_x32_numbers_have_no_bit() -> None:
    assert number_bit(0x40000000 + 2) == 0
    assert number_bit(2048) == 0
    assert number_bit(2047) == 1 << 2047


@pytest.mark.parametrize(
    ("mask", "fields", "signals"),
    [
        (ALL_SYSCALLS, (), True),
        (1 << 62, (), True),
        (1 << 37, (), True),
        (1 << 37, (("arch", "=", B64),), False),
        (1 << 37, (("arch", "=", B32),), True),
        (1 << 62, (("arch", "!=", B32),), False),
        (1 << 62, (("arch", "=", B32), ("arch", "=", B64)), True),
        (1 << 3, (), False),
    ],
)
def test_which_rules_make_kill_look_up_its_target(
    mask: int, fields: tuple[tuple[str, str, int], ...], signals: bool
) -> None:
    assert stored_rules(exit_rule(*fields, mask=mask)).signals is signals


def test_which_rules_an_object_meets() -> None:
    facts = Facts(inodes={"/a": 35, "/b": 3, "/c": 4}, paths_missing=frozenset({"/none"}))
    found = stored_rules(
        *(exit_rule(("path", "=", path)) for path in ("/a", "/b", "/c", "/none", "/unknown")), facts=facts
    )
    sure, maybe = bucket_rules(found, see(PathObject("/a", mode=0o100644), facts))
    assert [each.path for each in sure] == ["/a", "/b"]
    assert [each.path for each in maybe] == ["/unknown"]
    sure, maybe = bucket_rules(found, see(PathObject("/unknown", mode=0o100644), facts))
    assert [each.path for each in sure] == ["/unknown"]
    assert [each.path for each in maybe] == ["/a", "/b", "/c", "/none"]
    sure, maybe = bucket_rules(found, see(PathObject("/gone"), facts))
    assert [each.path for each in sure] == ["/none"]


@pytest.mark.parametrize(
    ("number", "perm", "args", "answer"),
    [
        (257, 4, (0, 0, 0, 0), True),
        (257, 2, (0, 0, 0, 0), False),
        (257, 2, (0, 0, 0o101, 0), True),
        (257, 2, (0, 0, 0o1000, 0), False),
        (257, 6, (0, 0, 3, 0), True),
        (257, 8, (0, 0, 3, 0), False),
        (257, 2, (0, 0, ANY, 0), None),
        (257, 6, (0, 0, ANY, 0), True),
        (257, 9, (0, 0, ANY, 0), False),
        (2, 2, (0, 1, 0, 0), True),
        (59, 1, (0, 0, 0, 0), True),
        (59, 14, (0, 0, 0, 0), False),
        (90, 8, (0, 0, 0, 0), True),
        (86, 2, (0, 0, 0, 0), True),
        (86, 8, (0, 0, 0, 0), True),
        (0, 15, (0, 0, 0, 0), False),
        (5000, 15, (0, 0, 0, 0), False),
    ],
)
def test_perm_of_native_calls(number: int, perm: int, args: tuple[int, int, int, int], answer: bool | None) -> None:
    abi = classes.tables(TARGET).abi(B64)
    assert classes.match_perm(abi, number, perm, args, 0) is answer


def test_perm_of_other_abis_and_lines() -> None:
    x86 = classes.tables(TARGET)
    assert classes.match_perm(x86.abi(B32), 102, 2, (2, 0, 0, 0), 0) is True  # socketcall with SYS_BIND
    assert classes.match_perm(x86.abi(B32), 102, 2, (3, 0, 0, 0), 0) is False
    assert classes.match_perm(x86.abi(B32), 102, 2, (ANY, 0, 0, 0), 0) is None
    assert classes.match_perm(x86.abi(B32), 358, 1, (0, 0, 0, 0), 0) is True  # execveat
    arm = classes.tables(Target("6.1", "aarch64"))
    assert arm.compat is not None
    assert classes.match_perm(arm.native, 281, 1, (0, 0, 0, 0), 0) is True
    assert classes.match_perm(arm.compat, 387, 1, (0, 0, 0, 0), 0) is False  # execveat is no x there
    # openat2 is understood since 5.16.
    for line, answer in (("5.10", False), ("5.15", False), ("5.16", True), ("6.1", True)):
        native = classes.tables(Target(line)).native
        assert classes.match_perm(native, 437, 4, (0, 0, 0, 0), 0) is answer
    assert classes.match_perm(classes.tables(Target("6.1")).native, 437, 2, (0, 0, 0, 0), 2) is True
    # fchmodat2 exists since 6.6; of setxattrat it is not known whether kernels behind 6.12 count it.
    assert classes.match_perm(classes.tables(Target("6.1")).native, 452, 8, (0, 0, 0, 0), 0) is False
    assert classes.match_perm(classes.tables(Target("6.6")).native, 452, 8, (0, 0, 0, 0), 0) is True
    assert classes.match_perm(classes.tables(Target("7.3")).native, 463, 8, (0, 0, 0, 0), 0) is None
    assert classes.match_perm(classes.tables(Target("6.12")).native, 463, 8, (0, 0, 0, 0), 0) is False


def test_classes_are_those_of_the_lists(shared: Path) -> None:
    """The numbers in the table follow from the class lists and the kernel's tables of system calls."""
    members: dict[str, set[str]] = {}
    for line in (shared / "spec/perm-classes.tsv").read_text().splitlines():
        if not line.startswith("#"):
            letter, name, in_kernel = line.split("\t")[:3]
            if in_kernel == "yes" and name not in ("open", "openat", "openat2", "execve", "execveat"):
                members.setdefault(letter, set()).add(name)
    pairs = {"w": "write", "r": "read", "a": "attr", "dir_write": "dir_write", "signal": "signal"}
    late = {"fchmodat2", "getxattrat", "listxattrat"}
    for machine in ("x86_64", "i386", "aarch64", "arm", "ppc64", "s390x", "riscv64", "ia64", "alpha"):
        numbers = tables.kernel_calls(machine)
        native = classes.tables(Target("6.12", machine)).native
        for letter, name in pairs.items():
            mask = getattr(native, name)
            expected = {call for call in members[letter] if call in numbers}
            found = {call for call, number in numbers.items() if mask >> number & 1}
            assert found - late == expected - late, (machine, letter)


def label(name: str, op: Any, value: str, text: str | None, lsm: str | None) -> bool | None:
    field = Field(name, op, value)
    return False if labels.has_rule(field, lsm) is False else labels.match(field, text, lsm)


@pytest.mark.parametrize(
    ("name", "op", "value", "text", "lsm", "answer"),
    [
        ("subj_user", "=", "u", "u:r:t:s0", "selinux", True),
        ("subj_role", "!=", "r", "u:r:t:s0", "selinux", False),
        ("subj_type", "=", "x", "u:r:t:s0", "selinux", False),
        ("subj_type", "!=", "x", "u:r:t:s0", "selinux", None),
        ("subj_sen", ">=", "s0", "u:r:t:s0", "selinux", None),
        ("subj_role", "=", "unconfined", None, "apparmor", True),
        ("subj_role", "!=", "unconfined", None, "apparmor", False),
        ("subj_role", "=", "unconfined", "dhclient", "apparmor", False),
        ("subj_user", "!=", "x", None, "apparmor", False),
        ("subj_user", "=", "_", "_", "smack", True),
        ("subj_user", "!=", "_", "x", "smack", True),
        ("subj_role", "=", "_", "_", "smack", False),
        ("subj_user", "=", "u", "u:r:t:s0", None, None),
        ("subj_user", "!=", "u", "u:r:t:s0", "none", False),
    ],
)
def test_labels(name: str, op: str, value: str, text: str | None, lsm: str | None, answer: bool | None) -> None:
    assert label(name, op, value, text, lsm) is answer


def field_answer(event: Event, field: Field, line: str = "6.1", facts: Facts = UNKNOWN) -> bool | None:
    target = Target(line)
    storage = stored_rules(Rule("exit", "always", ALL_SYSCALLS, (field,)), facts=facts, target=target)
    seen = None if event.objects is None else tuple(see(thing, facts) for thing in event.objects)
    return holds(field, storage.rules[0], EvalContext(event, target, facts, seen), None)


def test_groups_by_kernel_line() -> None:
    """in_group_p() began with fsgid; groups_search() looks at the supplementary groups alone."""
    event = Event(ids=Ids(gid=1, fsgid=7), groups=frozenset({5}))
    assert [field_answer(event, Field("gid", "=", 7), line) for line in ("4.4", "4.14", "4.19", "6.1")] == [
        True,
        None,
        False,
        False,
    ]
    assert field_answer(event, Field("gid", "=", 5), "4.4") is True
    assert field_answer(event, Field("gid", "!=", 7), "4.4") is False
    assert field_answer(event, Field("egid", "=", 7), "4.4") is None


def test_filetype_not_equal_by_kernel_line() -> None:
    event = Event(objects=(PathObject("/x", mode=0o040755),))
    answers = [field_answer(event, Field("filetype", "!=", 0o040000), line) for line in ("4.19", "5.4", "5.10", "6.12")]
    assert answers == [True, None, False, False]


def test_devices_of_filesystem_and_node() -> None:
    facts = Facts(mounts={"/": Mount("8:1"), "/dev": Mount("0:6")})
    node = Event(objects=(PathObject("/dev/sda", mode=0o060660, rdev=(8, 0)),))
    plain = Event(objects=(PathObject("/etc/x", mode=0o100644),))
    unknown = Event(objects=(PathObject("/dev/sda", mode=0o060660),))
    assert field_answer(node, Field("devmajor", "=", 8), facts=facts) is True
    assert field_answer(node, Field("devmajor", "=", 0), facts=facts) is True
    assert field_answer(plain, Field("devmajor", "=", 0), facts=facts) is True
    assert field_answer(plain, Field("devminor", "=", 1), facts=facts) is True
    assert field_answer(plain, Field("devmajor", "=", 3), facts=facts) is False
    assert field_answer(unknown, Field("devmajor", "=", 3), facts=facts) is None


def test_inode_of_a_file_without_number() -> None:
    facts = Facts(inodes={"/a": 5, "/b": 5})
    other = Event(objects=(PathObject("/c", mode=0o100644),))
    assert field_answer(other, Field("inode", "!=", 5), facts=facts) is True
    assert field_answer(other, Field("inode", "!=", 6), facts=facts) is None
    known = Event(objects=(PathObject("/b", mode=0o100644),))
    assert field_answer(known, Field("inode", "!=", 5), facts=facts) is False
    failed = Event(objects=(PathObject("/none"),))
    assert field_answer(failed, Field("inode", "!=", 5), facts=facts) is True


def test_programs() -> None:
    facts = Facts(inodes={"/bin/a": 5, "/usr/bin/a": 5, "/bin/b": 6}, symlinks={"/bin/link": "a", "/sbin": "bin"})

    def answer(exe: str | None, op: Any, path: str) -> bool | None:
        return field_answer(Event(exe=exe), Field("exe", op, path), facts=facts)

    assert answer("/usr/bin/a", "=", "/bin/a") is True
    assert answer("/usr/bin/a", "=", "/sbin/a") is True
    assert answer("/bin/a", "=", "/bin/link") is False
    assert answer("/bin/b", "!=", "/bin/a") is True
    assert answer("", "=", "/bin/a") is False
    assert answer("", "!=", "/bin/a") is True
    assert answer(None, "=", "/bin/a") is None


def test_pairs_of_ids_that_are_not_known() -> None:
    equal, unequal = Field("field_compare", "=", 11), Field("field_compare", "!=", 11)
    apart = Event(ids=Ids(uid=Range(0, 9), euid=Range(10, 19)))
    near = Event(ids=Ids(uid=Range(0, 10), euid=Range(10, 19)))
    assert (field_answer(apart, equal), field_answer(apart, unequal)) == (False, True)
    assert (field_answer(near, equal), field_answer(near, unequal)) == (None, None)
    assert field_answer(Event(ids=Ids(uid=5, euid=Range(10, 19))), equal) is False
    assert field_answer(Event(ids=Ids(uid=Range(10, 19), euid=5)), unequal) is True
    assert field_answer(Event(ids=Ids(uid=5, euid=5)), equal) is True


def test_unset_login_id() -> None:
    unset, some = Event(ids=Ids(auid=UNSET)), Event(ids=Ids(auid=Range(0, UNSET - 1)))
    assert field_answer(unset, Field("auid", "=", UNSET)) is True
    assert field_answer(unset, Field("auid", ">=", 1000)) is True
    assert field_answer(some, Field("auid", "!=", UNSET)) is True
    assert field_answer(some, Field("loginuid_set", "=", 1)) is True
    assert field_answer(unset, Field("loginuid_set", "=", 1)) is False
    assert field_answer(Event(), Field("loginuid_set", "=", 1)) is None


@pytest.mark.parametrize(
    ("objects", "number", "place"),
    [
        ((PathObject("/d/", "PARENT", "/d", 0o040755), PathObject("/d/x", "CREATE", None, 0o100644)), 1, "/d/x"),
        ((PathObject("s/", "PARENT", "/d/s", 0o040755), PathObject("s/x", "CREATE", None, 0o100644)), 1, "/d/s/x"),
        ((PathObject("/w", "PARENT", "/w", 0o040755), PathObject("x", "DELETE", None, 0o100644)), 1, "/w/x"),
        ((PathObject("/l/", "PARENT", None, 0o040755), PathObject("/l/x", "DELETE", None, 0o100644)), 1, "/real/x"),
        ((PathObject("a/", "PARENT", "/a", 0o040755), PathObject("b/", "PARENT", "/b", 0o040755),
          PathObject("c/x", "DELETE", None, 0o100644)), 2, None),
        ((PathObject(None, "DELETE", None, 0o100644),), 0, None),
    ],
)  # fmt: skip
def test_where_an_entry_stands(objects: tuple[PathObject, ...], number: int, place: str | None) -> None:
    facts = Facts(symlinks={"/l": "real"})
    assert place_of(tuple(see(each, facts) for each in objects), number, facts) == place


def test_record_types() -> None:
    assert type_number("SYSCALL") == 1300
    assert type_number("UNKNOWN[1399]") == 1399
    assert type_number("1302") == 1302
    assert type_number("NOSUCH") is None


def test_fields_are_tested_in_the_order_written_up_to_the_first_false() -> None:
    storage = stored_rules(exit_rule(("uid", "=", 0), ("gid", "=", 5), ("exit", "=", 0), ("key", "=", "k")))
    (rule,) = storage.rules

    def seen(event: Event) -> tuple[int, bool | None, tuple[int, ...]]:
        found = visit(rule, EvalContext(event, TARGET, UNKNOWN, ()))
        return found.tested, found.matched, found.unknown

    assert seen(Event(ids=Ids(uid=1))) == (1, False, ())
    assert seen(Event(ids=Ids(uid=0, gid=1), groups=frozenset())) == (2, False, ())
    assert seen(Event(ids=Ids(gid=1), groups=frozenset())) == (2, False, (0,))
    assert seen(Event(ids=Ids(uid=0, gid=5))) == (4, None, (2,))
