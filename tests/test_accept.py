"""The kernel's own refusals: recorded answers, and every limit on both sides."""

import json
from pathlib import Path
from typing import Any

import pytest

from auditlint.auditctl.model import ALL_SYSCALLS, UNSET, Field, Rule
from auditlint.core.facts import Facts
from auditlint.core.target import Target
from auditlint.kernel.acceptance import WAIT_MAX, control_refusal, identity, place_refusal, refusal, stored_mask

K61 = Target("6.1")
NOTHING = Facts()
REAL_ONLY = {"path-fields-034"}
"""The stand-in kernel of the recordings looks no path up; real kernels refuse this one (kernel-edge-cases.jsonl)."""


def rule(*fields: Any, on: Any = "exit", mask: int = ALL_SYSCALLS) -> Rule:
    return Rule(on, "always", mask, tuple(Field(*field) for field in fields))


def errno(*fields: Any, on: Any = "exit", kernel: str = "6.1", facts: Facts = NOTHING) -> Any:
    found = refusal(rule(*fields, on=on), Target(kernel), facts)
    return found and found.errno


def from_record(record: dict[Any, Any]) -> Rule:
    mask = ALL_SYSCALLS if record["syscalls"] == "all" else sum(1 << number for number in record["syscalls"])
    fields = tuple(Field(*field) for field in record["fields"])
    return Rule(record["list"], record["action"], mask, fields, record.get("prepend", False))


def test_recorded_answers_to_single_rules(shared: Path) -> None:
    judged = 0
    for line in (shared / "corpus/edge-cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        for answer in case["versions"].values():
            if not answer.get("rule") or case["id"] in REAL_ONLY:
                continue
            found = refusal(from_record(answer["rule"]), K61, NOTHING)
            kind = answer.get("kind", "")
            expected = kind.removeprefix("kernel-") if answer.get("stage") == "kernel" else None
            judged += 1
            assert (found and found.errno) == (expected if expected != "ENOENT" else None), case["id"]
    assert judged > 400


@pytest.mark.parametrize("line", ["5.10", "6.1", "6.12"])
def test_real_kernels(shared: Path, line: str) -> None:
    """What a rule that auditctl sent met on booted kernels; `file` cases are for test_program.py."""
    sent = {}
    for text in (shared / "corpus/edge-cases.jsonl").read_text().splitlines():
        case = json.loads(text)
        answer = case["versions"]["3.0.9"]
        if "argv" in case and answer.get("rule") and answer.get("kind") != "kernel-ENOENT":  # ENOENT: a deletion
            sent[case["id"]] = from_record(answer["rule"])
    facts = Facts(lsm="apparmor", paths_missing=frozenset(["/path with space"]))
    for text in (shared / "corpus/kernel-edge-cases.jsonl").read_text().splitlines():
        case = json.loads(text)
        asked = sent.get(case["id"])
        answer = case["kernels"][line]
        kind = answer.get("kind", "")
        if asked is None:
            continue
        found = refusal(asked, Target(line), facts) or place_refusal(asked, Target(line), facts)
        assert (found and "kernel-" + found.errno) == (kind or None), case["id"]


def test_the_kernel_none_takes_everything() -> None:
    broken = rule(("path", "!=", "x"), on="0xffffffff")
    target = Target("none")
    assert refusal(broken, target, NOTHING) is None
    assert place_refusal(broken, target, Facts(paths_missing=frozenset(["/x"]))) is None
    assert control_refusal({"type": "SET", "backlog_wait_time": 1 << 31}, 2, target, NOTHING) is None


@pytest.mark.parametrize(
    ("list_name", "since"), [("filesystem", "4.16"), ("io_uring", "5.16")], ids=["filesystem", "io_uring"]
)
def test_lists_by_kernel_line(list_name: str, since: str) -> None:
    field = ("fstype", "=", 1) if list_name == "filesystem" else ("uid", "=", 1)
    before = {"4.16": "4.15", "5.16": "5.15"}[since]
    assert errno(field, on=list_name, kernel=since) is None
    assert errno(field, on=list_name, kernel=before) == "EINVAL"


def test_unknown_list() -> None:
    assert errno(("uid", "=", 1), on="0xffffffff") == "EINVAL"


@pytest.mark.parametrize(
    ("field", "before", "since"),
    [
        (("sessionid", "=", 1), "4.9", "4.10"),
        (("saddr_fam", "=", 2), "5.2", "5.3"),
        (("exe", "=", "/bin/a"), "4.2", "4.3"),
        (("exe", "!=", "/bin/a"), "4.18", "4.19"),
        (("pers", "&", 1), "5.2", "5.3"),
        (("devminor", "&=", 1), "5.2", "5.3"),
        (("saddr_fam", "=", 45), "5.14", "5.15"),
    ],
)
def test_fields_and_operators_that_came_later(field: Any, before: str, since: str) -> None:
    assert errno(field, kernel=before) == "EINVAL"
    assert errno(field, kernel=since) is None


@pytest.mark.parametrize(
    "field", [("filetype", ">", 0o100000), ("perm", "&", 1), ("key", ">", "a"), ("subj_type", ">", "a")]
)
def test_operators_that_older_kernels_took(field: Any) -> None:
    assert errno(field, kernel="4.19") is None
    assert errno(field, kernel="5.3") == "EINVAL"


def test_exe_on_other_lists_since_4_19() -> None:
    assert errno(("exe", "=", "/bin/a"), on="user", kernel="4.18") == "EINVAL"
    assert errno(("exe", "=", "/bin/a"), on="user", kernel="4.19") is None


@pytest.mark.parametrize("on", ["exit", "task", "io_uring"])
def test_msgtype_belongs_to_user_and_exclude(on: str) -> None:
    assert errno(("msgtype", "=", 1300), on=on) == "EINVAL"
    assert errno(("msgtype", "=", 1300), on="exclude") is None


def test_fstype_and_the_filesystem_list_belong_together() -> None:
    assert errno(("fstype", "=", 1), on="exit") == "EINVAL"
    assert errno(("uid", "=", 1), on="filesystem") == "EINVAL"
    assert errno(("fstype", "=", 1), ("key", "=", "k"), on="filesystem") is None


def test_perm_on_io_uring() -> None:
    assert errno(("perm", "=", 1), on="io_uring") == "EINVAL"


@pytest.mark.parametrize("name", ["uid", "euid", "fsgid", "gid", "obj_uid", "obj_gid"])
def test_only_the_login_id_can_be_unset(name: str) -> None:
    assert errno((name, "=", UNSET)) == "EINVAL"
    assert errno((name, "=", UNSET - 1)) is None


def test_unset_login_id_takes_no_order() -> None:
    assert errno(("auid", "!=", UNSET)) is None
    assert errno(("auid", ">=", UNSET)) == "EINVAL"
    assert errno(("auid", ">=", UNSET - 1)) is None


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("perm", 15, 16), ("filetype", 0o170000, 0o170001), ("field_compare", 25, 26), ("saddr_fam", 45, 46)],
)
def test_largest_values(name: str, good: int, bad: int) -> None:
    assert errno((name, "=", good)) is None
    assert errno((name, "=", bad)) == "EINVAL"


def test_number_of_fields() -> None:
    assert errno(*[("a0", "=", n) for n in range(64)]) is None
    assert errno(*[("a0", "=", n) for n in range(65)]) == "EINVAL"


@pytest.mark.parametrize("name", ["key", "exe"])
def test_once_per_rule(name: str) -> None:
    assert errno((name, "=", "/a"), (name, "=", "/b")) == "EINVAL"


@pytest.mark.parametrize("first", [("path", "=", "/a"), ("dir", "=", "/b"), ("inode", "=", 5), ("inode", "!=", 5)])
@pytest.mark.parametrize("second", [("path", "=", "/c"), ("dir", "=", "/d"), ("inode", "=", 6)])
def test_one_place_per_rule(first: Any, second: Any) -> None:
    found = refusal(rule(first, second), K61, NOTHING)
    assert found is not None
    assert (found.errno, found.index) == ("EINVAL", 1)


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("path", "etc/passwd", "EINVAL"),
        ("path", "/etc/", "EINVAL"),
        ("path", "/", "EINVAL"),
        ("dir", "/", None),
        ("dir", "/etc/", None),
        ("dir", "etc", "EINVAL"),
        ("exe", "/bin/", "EINVAL"),
        ("exe", "/bin/..", "EINVAL"),
        ("exe", "/" + "b" * 255, None),
        ("exe", "/" + "b" * 256, "ENAMETOOLONG"),
        ("exe", "/" + "ü" * 127, None),
        ("exe", "/" + "ü" * 128, "ENAMETOOLONG"),
        ("exe", "/b" * 2049, "EINVAL"),
        ("exe", "", "EINVAL"),
        ("path", "/b" * 2049, "ENAMETOOLONG"),
        ("subj_type", "x" * 4097, "ENAMETOOLONG"),
        ("key", "k" * 256, None),
        ("key", "k" * 257, "EINVAL"),
        ("key", "", "EINVAL"),
    ],
)
def test_text_fields(name: str, path: str, expected: str | None) -> None:
    assert errno((name, "=", path)) == expected


def place(name: str, path: str, facts: Facts) -> Any:
    found = place_refusal(rule(("uid", "=", 0), (name, "=", path)), K61, facts)
    assert found is None or found.index == 1
    return found and found.errno


def test_a_path_needs_its_directory_and_a_dir_itself() -> None:
    facts = Facts(paths_missing=frozenset(["/opt/app"]))
    assert place("path", "/opt/app", facts) is None
    assert place("path", "/opt/app/log", facts) == "ENOENT"
    assert place("path", "/opt/app/log/deep", facts) == "ENOENT"
    assert place("dir", "/opt/app", facts) == "ENOENT"
    assert place("dir", "/opt/other", facts) is None
    assert errno(("exe", "=", "/opt/app/bin"), facts=facts) == "ENOENT"


def test_links_are_followed_inside_a_path() -> None:
    facts = Facts(paths_missing=frozenset(["/usr/lib/x"]), symlinks={"/lib": "usr/lib", "/a": "/b", "/b": "/a"})
    assert place("path", "/lib/x/y", facts) == "ENOENT"
    assert place("path", "/lib/../lib/./x/y", facts) == "ENOENT"
    assert place("path", "/lib/z", facts) is None
    assert place("path", "/a/z", facts) == "ELOOP"
    assert place("dir", "/a", facts) is None  # a link as last component is not followed
    assert place("dir", "/a/", facts) == "ELOOP"


def test_complete_directories() -> None:
    listed = frozenset(["/", "/etc", "/etc/ssh"])
    facts = Facts(directories=listed, directories_complete=True, symlinks={"/lib": "usr/lib"})
    assert place("dir", "/lib", facts) is None
    assert place("path", "/etc/ssh/new", facts) is None
    assert place("path", "/srv/x", facts) == "ENOENT"
    assert place("path", "/top", facts) is None
    assert place("dir", "/etc/ssh", facts) is None
    assert place("dir", "/srv", facts) == "ENOENT"
    assert place("dir", "/", facts) is None


def test_complete_paths() -> None:
    """From an image: what is there is known, whatever it is."""
    facts = Facts(
        directories=frozenset(["/", "/etc"]),
        directories_complete=True,
        paths_complete=True,
        paths_missing=frozenset(["/etc/none"]),
    )
    assert place("path", "/etc/passwd/x", facts) == "ENOTDIR"
    assert place("path", "/etc/none/x", facts) == "ENOENT"
    assert place("dir", "/etc/passwd", facts) is None


def test_long_names_and_last_parts_that_are_no_names() -> None:
    assert place("path", "/etc/..", NOTHING) == "EINVAL"
    assert place("path", "/" + "n" * 256 + "/x", NOTHING) == "ENAMETOOLONG"
    assert place("dir", "/a" * 2048, NOTHING) == "ENAMETOOLONG"


def test_apparmor_labels() -> None:
    apparmor = Facts(lsm="apparmor", labels=frozenset(["docker-default"]))
    assert errno(("subj_role", "=", "s0"), facts=apparmor) == "ENOENT"
    assert errno(("subj_role", "=", "docker-default"), facts=apparmor) is None
    assert errno(("subj_role", "=", "unconfined"), facts=apparmor) is None
    assert errno(("subj_user", "=", "s0"), facts=apparmor) is None
    assert errno(("subj_role", "=", "s0"), facts=Facts(lsm="selinux")) is None


def test_equal_rules() -> None:
    one = rule(("uid", "=", 1))
    assert identity(one, K61) == identity(Rule("exit", "always", one.mask, one.fields, prepend=True), K61)
    assert identity(one, K61) != identity(rule(("uid", "!=", 1)), K61)
    assert identity(rule(("uid", "=", 1), ("gid", "=", 1)), K61) != identity(
        rule(("gid", "=", 1), ("uid", "=", 1)), K61
    )


def test_stored_mask_without_class_bits() -> None:
    assert stored_mask(0b110, K61) == 0b110
    assert stored_mask(ALL_SYSCALLS, K61) == (1 << 2032) - 1


def control(record: dict[Any, Any], enabled: int = 1) -> Any:
    found = control_refusal(record, enabled, K61, NOTHING)
    return found and found.errno


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"type": "SET", "failure": 1}, "EPERM"),
        ({"type": "SET", "enabled": 1}, "EPERM"),
        ({"type": "TRIM"}, "EPERM"),
        ({"type": "MAKE_EQUIV", "data": ""}, "EPERM"),
        ({"type": "SET", "lost": 0}, None),
        ({"type": "SET", "backlog_wait_time_actual": 0}, None),
        ({"type": "SET_FEATURE", "vers": 0, "mask": 2, "features": 2, "lock": 2}, None),
        ({"type": "USER", "data": "text=x"}, None),
        ({"type": "SET", "backlog_wait_time": WAIT_MAX + 1}, "EINVAL"),
    ],
)
def test_requests_of_a_locked_kernel(record: Any, expected: str | None) -> None:
    assert control(record, enabled=2) == expected


def test_largest_wait_time() -> None:
    assert control({"type": "SET", "backlog_wait_time": WAIT_MAX}) is None
    assert control({"type": "SET", "backlog_wait_time": WAIT_MAX + 1}) == "EINVAL"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [("/mnt,/data", None), (",/x", "EINVAL"), ("/mnt,/gone", "ENOENT"), ("/gone,/x", "ENOENT")],
)
def test_equivalent_paths(argument: str, expected: str | None) -> None:
    facts = Facts(paths_missing=frozenset(["/gone"]))
    found = control_refusal({"type": "MAKE_EQUIV", "data": ""}, 1, K61, facts, argument)
    assert (found and found.errno) == expected


def test_class_bits_become_the_calls_of_their_class() -> None:
    """-S 2047 as the real kernels list it (kernel-edge-cases.jsonl, syscall-006)."""
    made = [82, 83, 84, 85, 86, 87, 88, 133, 258, 259, 263, 264, 265, 266, 316]
    assert stored_mask(1 << 2047, K61) == sum(1 << number for number in made)
    assert stored_mask(1 << 2032 | 1 << 5, K61) == 1 << 5
