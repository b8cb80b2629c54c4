"""What lines mean, release by release; values worked out by hand from the sources named in auditlint/auditctl."""

from __future__ import annotations

from typing import Any

import pytest

from auditlint.auditctl.model import ALL_SYSCALLS, Line
from auditlint.auditctl.parse import Reader
from auditlint.auditctl.render import rule_record
from auditlint.core.facts import Facts
from auditlint.core.source import Source
from auditlint.core.target import Target
from tests.language.records import FACTS

X86, I386 = 0xC000003E, 0x40000003
UNSET = 4294967295


def judge(text: str, auditctl: str = "4.2", machine: str = "x86_64", facts: Facts = FACTS) -> Line:
    """The one line of a file."""
    reader = Reader(Target(machine=machine, auditctl=auditctl), facts)
    (line,) = reader.read(Source("x.rules", text.encode("latin-1")))
    return line


def rule(text: str, **target: Any) -> dict[str, Any]:
    line = judge(text, **target)
    assert line.problem is None, line.problem
    assert line.rule is not None
    return rule_record(line.rule)


def fields(text: str, **target: Any) -> list[Any]:
    found: list[Any] = rule(text, **target)["fields"]
    return found


def kind(text: str, auditctl: str = "4.2", machine: str = "x86_64") -> str | None:
    problem = judge(text, auditctl, machine).problem
    return problem.kind if problem else None


def guilty(text: str, auditctl: str = "4.2") -> str:
    """The bytes that the problem points at."""
    line = judge(text, auditctl)
    assert line.problem is not None
    return line.source.text(line.problem.span)


def sent(text: str, auditctl: str = "4.2", machine: str = "x86_64") -> list[Any]:
    return [request.control or request.kind for request in judge(text, auditctl, machine).requests]


def warnings(text: str, auditctl: str = "4.2", machine: str = "x86_64") -> list[str]:
    return [warning.kind for warning in judge(text, auditctl, machine).warnings]


def test_an_ordinary_rule() -> None:
    line = judge("-a always,exit -F arch=b64 -S open,openat -F auid>=1000 -k x")
    assert line.rule is not None
    assert rule_record(line.rule) == {
        "list": "exit",
        "action": "always",
        "syscalls": [2, 257],
        "fields": [["arch", "=", X86], ["auid", ">=", 1000], ["key", "=", "x"]],
    }
    assert line.rule.mask == 1 << 2 | 1 << 257
    assert line.rule.key == "x"
    assert [request.kind for request in line.requests] == ["add"]


def test_blank_lines_and_comments_are_left_out() -> None:
    data = b"\n  \n# -D\n  # x\n\0-D\n-D\n \t\n"
    lines = list(Reader(Target(), FACTS).read(Source("x", data)))
    assert [(line.number, line.problem.kind if line.problem else None) for line in lines] == [
        (6, None),
        (7, "no-message"),
    ]


# lists and actions


@pytest.mark.parametrize(
    ("word", "release", "expected"),
    [
        ("always,exit", "4.2", ("exit", "always")),
        ("exit,never", "4.2", ("exit", "never")),
        ("always,EXIT", "3.1.5", ("exit", "always")),
        ("always,EXIT", "3.0.9", "bad-list-or-action"),
        ("ALWAYS,exit", "4.2", "bad-list-or-action"),
        ("entry,always", "4.2", "bad-list-or-action"),
        ("always,entry", "3.0.9", "bad-list-or-action"),
        ("always,entry", "4.2", ("0xffffffff", "always")),
        ("never,always", "3.1.5", ("0xffffffff", "never")),
        ("always,io_uring", "3.0.9", "bad-list-or-action"),
        ("always,io_uring", "3.1.5", ("io_uring", "always")),
        ("always", "4.2", "bad-list-or-action"),
        ("always,exit,x", "4.2", "bad-list-or-action"),
        ("possible,exit", "3.0.9", "bad-list-or-action"),
        ("exit,exit", "4.2", "bad-list-or-action"),
        (",", "4.2", "bad-list-or-action"),
    ],
)
def test_list_and_action(word: str, release: str, expected: object) -> None:
    line = judge(f"-a {word}", release)
    if isinstance(expected, str):
        assert line.problem is not None
        assert line.problem.kind == expected
        assert line.source.text(line.problem.span) == word
    else:
        assert line.rule is not None
        assert (line.rule.list, line.rule.action) == expected


def test_masks_without_system_calls() -> None:
    assert judge("-a never,task").rule.mask == 0  # type: ignore[union-attr]
    assert judge("-a never,user").rule.mask == ALL_SYSCALLS  # type: ignore[union-attr]


def test_possible_is_dropped() -> None:
    line = judge("-a exit,possible -S nonsense words")
    assert (line.dropped, line.problem, line.requests) == (True, None, ())
    assert [warning.kind for warning in line.warnings] == ["deprecated-possible"]
    assert judge("-a possible,exit -S x", "2.8.5").dropped
    assert judge("-d exit,possible", "4.2").dropped
    # -A takes it for an option that ends the line since 4.0.4
    assert judge("-A exit,possible", "4.2").dropped
    assert judge("-A exit,possible x", "4.0.3").dropped
    assert kind("-A exit,possible x", "4.2") == "stray-parameter"
    assert not judge("-A exit,possible x", "4.2").dropped


def test_prepend_and_delete() -> None:
    line = judge("-A always,exit -S 1")
    assert line.requests[0].kind == "add"
    assert line.rule is not None
    assert line.rule.prepend
    assert judge("-d always,exit -S 1").requests[0].kind == "delete"
    broken = judge("-A always,exit -S 1", "4.0.5")
    assert (broken.requests[0].kind, broken.rule.prepend) == ("delete", False)  # type: ignore[union-attr]
    assert kind("-a always,exit -d always,exit") == "multiple-rules"
    assert not judge("-A always,nolist").rule.prepend  # type: ignore[union-attr]


def test_lists_behind_a_watch() -> None:
    assert rule("-w /x -a exit,never")["action"] == "never"
    assert rule("-w /x -a user,never")["list"] == "user"
    assert kind("-w /x -a never,exit") == "bad-list-or-action"
    assert rule("-w /x -a never,always")["action"] == "always"
    assert rule("-w /x -a possible,never")["action"] == "never"
    assert kind("-w /x -a task,never") == "syscall-on-wrong-list"
    assert judge("-w /x -d exit,always").requests[0].kind == "add"
    assert rule("-w /x -a exclude,always", auditctl="3.0.9")["list"] == "exclude"


# watches


def test_watch() -> None:
    found = rule("-w /etc/passwd -p wa -k id")
    assert found == {
        "list": "exit",
        "action": "always",
        "syscalls": "all",
        "fields": [["path", "=", "/etc/passwd"], ["perm", "=", 10], ["key", "=", "id"]],
    }
    assert fields("-w /x") == [["path", "=", "/x"], ["perm", "=", 15]]
    assert judge("-W /x").requests[0].kind == "delete"
    assert kind("-W /x -w /y") == "watch-with-syscall"
    assert kind("-a always,exit -w /x") == "watch-with-syscall"


@pytest.mark.parametrize(
    ("path", "facts", "expected"),
    [
        ("/etc/", Facts(), ["dir", "/etc"]),
        ("/", Facts(), ["dir", "/"]),
        ("//", Facts(), ["dir", "//"]),
        ("///", Facts(), ["dir", "/"]),
        ("/srv/site", Facts(), ["path", "/srv/site"]),
        ("/srv/site", Facts(directories=frozenset(("/srv/site",))), ["dir", "/srv/site"]),
        ("/etc", Facts(directories=frozenset(("/srv",)), directories_complete=True), ["path", "/etc"]),
        ("/etc", Facts(paths_missing=frozenset(("/etc",))), ["path", "/etc"]),
        ("/bin/x/..", Facts(symlinks={"/bin": "usr/bin"}), ["dir", "/bin/x/.."]),
        ("/lib", Facts(symlinks={"/lib": "/usr/lib/../lib"}), ["dir", "/lib"]),
        ("/loop", Facts(symlinks={"/loop": "/loop"}), ["path", "/loop"]),
        ("/a/../etc", Facts(directories=frozenset(("/etc",)), directories_complete=True), ["path", "/a/../etc"]),
        ("/etc/.", Facts(directories=frozenset(("/etc",)), directories_complete=True), ["dir", "/etc/."]),
    ],
)
def test_directories(path: str, facts: Facts, expected: list[str]) -> None:
    name, _, value = fields(f"-w {path}", facts=facts)[0]
    assert [name, value] == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x", "bad-path"),
        ("/" + "a" * 255, None),
        ("/" + "a" * 256, "bad-path"),
        ("/" + "a" * 256 + "//", "bad-path"),
        ("/a" * 2047, None),
        ("/a" * 2048, "bad-path"),
    ],
)
def test_bad_paths(path: str, expected: str | None) -> None:
    assert kind(f"-w {path}") == expected


def test_warnings_of_watches() -> None:
    assert warnings("-w /a/../b", "3.0.9") == ["relative-path"]
    assert warnings("-w /a/*.c", "4.2") == ["wildcard", "watch-deprecated"]
    assert warnings("-W /a", "4.2") == []


def test_a_watch_wants_an_empty_rule() -> None:
    assert kind("-a exit,always -F uid=0 -W /x", "3.0.9") == "other"
    assert fields("-a exit,always -W /x", auditctl="3.0.9")[0] == ["path", "=", "/x"]
    assert rule("-S open -w /x", auditctl="3.0.9")["syscalls"] == "all"
    assert kind("-S open -w /x", "4.2") == "other"


# fields


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uid=0", ["uid", "=", 0]),
        ("UID=0x10", ["uid", "=", 16]),
        ("loginuid!=unset", ["auid", "!=", UNSET]),
        ("auid>=-1", ["auid", ">=", UNSET]),
        ("uid=bin", ["uid", "=", 2]),
        ("gid=adm", ["gid", "=", 4]),
        ("exit=-EACCES", ["exit", "=", 2**32 - 13]),
        ("exit=eacces", ["exit", "=", 13]),
        ("exit=-0", ["exit", "=", 0]),
        ("success=7", ["success", "=", 7]),
        ("a0&=0100", ["a0", "&=", 64]),
        ("a3=-2", ["a3", "=", 2**32 - 2]),
        ("sessionid=foo", ["sessionid", "=", 0]),
        ("sessionid=-1", ["sessionid", "=", UNSET]),
        ("sessionid=unset", ["sessionid", "=", UNSET]),
        ("saddr_fam=inet", ["saddr_fam", "=", 0]),
        ("filetype=DIR", ["filetype", "=", 0o40000]),
        ("perm=WA", ["perm", "=", 10]),
        ("perm=rrrr", ["perm", "=", 4]),
        ("path=/a<b", ["path", "=", "/a<b"]),
        ("exe!=/bin/sh", ["exe", "!=", "/bin/sh"]),
        ("subj_type>x", ["subj_type", ">", "x"]),
        ("field_compare=5", ["field_compare", "=", 5]),
        ("inode=4294967296", ["inode", "=", 0]),
        ("arch=0xc000003e", ["arch", "=", X86]),
        ("arch=c000003e", ["arch", "=", X86]),
        ("arch=3221225534", ["arch", "=", X86]),
        ("arch=0x1c000003e", ["arch", "=", X86]),
        ("arch=B32", ["arch", "=", I386]),
        ("arch=i586", ["arch", "=", I386]),
    ],
)
def test_values(text: str, expected: list[Any]) -> None:
    assert fields(f"-a always,exit -F {text}") == [expected]


@pytest.mark.parametrize(
    ("text", "expected", "span"),
    [
        ("uid", "field-operator-missing", "uid"),
        ("=5", "field-name-missing", "=5"),
        ("uid=", "field-value-missing", "uid="),
        ("nosuch=1", "unknown-field", "nosuch"),
        ("uid<>0", "unknown-field", "uid<"),
        ("path=/a!=b", "unknown-field", "path=/a"),
        ("uid=nosuch", "unknown-user", "nosuch"),
        ("gid=-1", "unknown-group", "-1"),
        ("gid=unset", "unknown-group", "unset"),
        ("exit=EFOO", "unknown-errno", "EFOO"),
        ("msgtype=CWD", "msgtype-wrong-list", "msgtype"),
        ("fstype=tracefs", "field-wrong-list", "fstype"),
        ("pid=-1", "field-value-not-number", "-1"),
        ("success=yes", "field-value-not-number", "yes"),
        ("a0=+1", "field-value-not-number", "+1"),
        ("saddr_fam=46", "field-value-too-large", "46"),
        ("saddr_fam=-1", "field-value-too-large", "-1"),
        ("filetype=regular", "other", "regular"),
        ("perm=rwxar", "string-too-long", "rwxar"),
        ("perm=rz", "bad-perm", "rz"),
        ("perm!=r", "operator-not-allowed", "!="),
        ("inode>5", "operator-not-allowed", ">"),
        ("exe<=/x", "operator-not-allowed", "<="),
        ("arch>b64", "operator-not-allowed", ">"),
        ("arch=mips", "unknown-arch", "mips"),
        ("arch=40000003", "unknown-arch", "40000003"),
        ("arch=18446744073709551616", "unknown-arch", "18446744073709551616"),
        ("arch=ffffffffffffffffff", "unknown-arch", "ffffffffffffffffff"),
        ("arch=uring", "unknown-arch", "uring"),
        ("path=/" + "x" * 4096, "string-too-long", "/" + "x" * 4096),
        ("key>" + "x" * 257, "key-without-watch-or-syscall", "-F key>" + "x" * 257),
    ],
)
def test_bad_fields(text: str, expected: str, span: str) -> None:
    line = f"-a always,exit -F {text}"
    assert kind(line) == expected
    assert guilty(line) == span


def test_values_of_other_lists() -> None:
    assert fields("-a always,exclude -F msgtype=cwd") == [["msgtype", "=", 1307]]
    assert fields("-a always,exclude -F msgtype=UNKNOWN[1307]") == [["msgtype", "=", 1307]]
    assert fields("-a always,exclude -F msgtype=0x514") == [["msgtype", "=", 1300]]
    assert kind("-a always,exclude -F msgtype=UNKNOWN[0]") == "unknown-msgtype"
    assert kind("-a always,exclude -F msgtype=UNKNOWN[5") == "unknown-msgtype"
    assert kind("-a always,exclude -F msgtype=-1") == "unknown-msgtype"
    assert fields("-a never,filesystem -F fstype=CGROUP2") == [["fstype", "=", 0x63677270]]
    assert kind("-a never,filesystem -F fstype=cgroup2", "4.0.3") == "unknown-fstype"
    assert kind("-a never,filesystem -F fstype=0xffffffff") == "unknown-fstype"
    assert fields("-a never,filesystem -F fstype=0xEF53") == [["fstype", "=", 0xEF53]]


def test_fields_by_release() -> None:
    assert kind("-a always,exclude -F euid=0", "3.0.9") == "field-not-for-exclude"
    assert kind("-a always,exclude -F euid=0", "3.1.5") is None
    assert kind("-a always,exclude -F exe=/x", "2.8.5") == "field-not-for-exclude"
    assert kind("-a always,exclude -F perm=w", "4.2") is None
    assert kind("-a always,exit -F exe!=/x", "2.8.5") == "operator-not-allowed"
    assert kind("-a always,exit -F saddr_fam=2", "2.8.5") == "unknown-field"
    assert kind("-a always,exclude -F msgtype=LANDLOCK_ACCESS", "4.0.3") == "unknown-msgtype"


def test_fields_want_a_list() -> None:
    assert kind("-F uid=0 -a always,exit") == "list-missing"
    assert sent("-F arch=b64 -t") == [{"type": "TRIM"}]
    assert kind("-F uid=0 -t") == "list-missing"
    assert kind("-F path=/arch=x -t") == "field-exit-only"


def test_arch_comes_before_system_calls() -> None:
    assert kind("-a always,exit -S open -F arch=b64") == "arch-after-syscall"
    assert kind("-a always,exit -F arch=b64 -F perm=x -F arch=b32") == "arch-after-syscall"
    assert kind("-a always,exit -F arch=b64 -F perm=x -F arch=b32", "3.0.9") is None
    # what is found before belongs to every field
    assert kind("-a always,exit -S open -F arch=") == "field-value-missing"


def test_most_fields() -> None:
    many = "-a always,exit" + " -F a0=1" * 62
    assert len(fields(many + " -F path=/x -F key=x".replace(" -F path=/x", "") + " -S open")) == 63
    assert kind(many + " -F a0=1 -F a1=1") == "too-many-fields"
    assert kind(many + " -F a0=1 -C uid=euid") == "too-many-fields"
    assert kind(many + " -F path=/x -k x") == "too-many-fields"
    assert kind(many + " -F a0=1 -p w", "3.0.9") == "too-many-fields"
    assert kind(many + " -F a0=1 -p w", "4.2") == "no-message"


# perm and the mask


def test_perm_adds_system_calls() -> None:
    line = "-a always,exit -F arch=b64 -F path=/x -F perm=x"
    assert rule(line, auditctl="3.0.9")["syscalls"] == "all"
    assert rule(line, auditctl="3.1.5")["syscalls"] == [59]
    assert rule(line, auditctl="4.2")["syscalls"] == [59, 322]
    assert rule("-a always,exit -F path=/x -F perm=x")["syscalls"] == "all"
    assert warnings("-a always,exit -F path=/x -F perm=x") == ["perm-without-arch"]
    # a call of the letter that the machine lacks
    for release, expected in (("3.1.5", "unknown-syscall"), ("4.2", None)):
        assert kind("-a always,exit -F arch=aarch64 -F perm=w", release) == expected
    assert kind("-a always,exit -F arch=aarch64 -F perm=x", "3.1.5") is None


def test_p_replaces_perm() -> None:
    assert fields("-a always,exit -F path=/x -F perm=r -p w") == [["path", "=", "/x"], ["perm", "=", 2]]
    assert fields("-a always,exit -F path=/x -p w")[1] == ["perm", "=", 2]
    assert kind("-p wa -w /x") == "perm-without-watch"
    assert kind("-w /x -p wz") == "bad-perm"
    assert kind("-w /x -p rwxar") == "bad-perm"
    assert kind("-a always,exit -p wa", "3.0.9") == "other"


def test_p_was_silent() -> None:
    assert kind("-p wa -w /x", "2.8.5") == "no-message"
    assert kind("-w /x -p rwxar", "2.8.5") == "no-message"
    assert kind("-w /x -p z", "2.8.5") == "bad-perm"
    # a warning before it is a message
    assert kind("-a always,exit -S open -p wa", "2.8.5") == "other"
    assert kind("-a always,exit -p wa", "4.2") == "no-message"
    assert kind("-a always,exit -S open -p wa", "4.2") == "other"


# comparisons


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uid=euid", ["field_compare", "=", 11]),
        ("euid!=UID", ["field_compare", "!=", 11]),
        ("loginuid!=obj_uid", ["field_compare", "!=", 5]),
        ("uid>=euid", "compare-field-unknown"),
        ("uid>euid", "operator-not-allowed"),
        ("=euid", "compare-field-missing"),
        ("uid=", "compare-value-missing"),
        ("uid=1000", "compare-value-unknown"),
        ("uid=gid", "compare-incompatible"),
        ("uid=uid", "compare-incompatible"),
    ],
)
def test_comparisons(text: str, expected: object) -> None:
    line = f"-a always,exit -C {text}"
    assert (fields(line)[0] if isinstance(expected, list) else kind(line)) == expected


def test_comparisons_want_the_exit_list() -> None:
    assert kind("-a always,user -C uid=euid") == "field-exit-only"
    assert kind("-C uid=euid -a always,exit") == "field-exit-only"


# keys


def test_keys_are_joined_and_last() -> None:
    assert fields("-w /x -k a -F key=b -F uid=0")[2:] == [["uid", "=", 0], ["key", "=", "a\x01b"]]
    assert fields("-a always,exit -F key=k -S open") == [["key", "=", "k"]]
    assert fields("-a always,exit -S open -F key=") == []
    assert fields("-a always,exit -S open -F key!=a") == [["key", "!=", "a"]]


def test_keys_want_something_to_stand_on() -> None:
    for line in ("-k x -w /y", "-a always,exit -F uid=0 -k x", "-a always,exit -F uid=0 -F key=x", "-S open -k x"):
        assert kind(line) == "key-without-watch-or-syscall"
    for rest in ("-S open", "-F path=/x", "-F dir=/x", "-F exe=/x", "-F perm=x"):
        assert kind(f"-a always,exit {rest} -k x") is None
    assert kind("-a never,filesystem -F fstype=debugfs -k x") is None


def test_operators_in_keys() -> None:
    assert kind("-w /x -k a>=b") == "unknown-field"
    assert guilty("-w /x -k a>=b") == "a>=b"
    assert fields("-w /x -k =a<b")[2] == ["key", "=", "=a<b"]


def test_long_and_odd_keys() -> None:
    assert kind("-w /x -k " + "k" * 256) is None
    assert kind("-w /x -k " + "k" * 257) == "key-too-long"
    assert kind("-w /x -k " + "k" * 200 + " -k " + "k" * 56) == "key-too-long"
    assert kind("-w /x -k a\x01b", "4.2") == "key-illegal-character"
    assert warnings("-w /x -k a\x01b", "3.0.9") == ["key-illegal-character"]
    assert kind("-w /x -k ids-recon", "2.8.5") == "other"
    assert kind("-w /x -F key=ids-file-hi", "2.8.5") is None
    assert kind("-w /x -k ids-recon", "3.0.9") is None


def test_the_key_of_a_silent_mistake_is_read() -> None:
    assert kind("-a always,exit -F key=x -S nosuch,open", "4.2") == "key-without-watch-or-syscall"
    assert kind("-a always,exit -F key=x -S open,nosuch", "4.2") == "no-message"
    assert kind("-a always,exit -F key=x -S all,nosuch", "4.2") == "key-without-watch-or-syscall"
    assert kind("-a always,exit -F key=x -S nosuch,open", "3.0.9") == "unknown-syscall"


# system calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("open", [2]),
        ("OPEN,close", [2, 3]),
        ("open,,close,", [2, 3]),
        (",", []),
        ("0x3b", [59]),
        ("2047", [2047]),
        ("2abc", [2]),
        ("4294967298", [2]),
        ("all", "all"),
        ("open,all", "all"),
        ("ALL", None),
        ("2048", None),
        ("-1", None),
        ("2147483648", None),
        ("99999999999999999999", None),
        ("chown32", None),
        ("pread64", None),
    ],
)
def test_system_calls(text: str, expected: object) -> None:
    line = f"-a always,exit -F arch=b64 -S {text}"
    if expected is None:
        assert kind(line) == "unknown-syscall"
        assert guilty(line) == text
    else:
        assert rule(line)["syscalls"] == expected


def test_an_unknown_name_in_a_list() -> None:
    line = "-a always,exit -F arch=b64 -S open,nosuch,close"
    assert (kind(line, "4.0.3"), kind(line, "4.2")) == ("unknown-syscall", "no-message")
    assert guilty(line) == "nosuch"


def test_lists_without_system_calls() -> None:
    for name in ("task", "user", "filesystem", "exclude"):
        assert kind(f"-a always,{name} -S open") == "syscall-on-wrong-list"
    assert kind("-S open -a always,task") == "syscall-on-wrong-list"
    assert rule("-S open -a always,user")["syscalls"] == [2]
    assert kind("-S open") == "list-missing"
    assert guilty("-S open -e 1") == "-S open"


def test_io_uring() -> None:
    assert rule("-a always,io_uring -S openat,22")["syscalls"] == [18, 22]
    assert rule("-a always,io_uring -S all")["syscalls"] == [9, 10, 13, 16, 17, 18, 19, 28, 34, 35, 36]
    assert rule("-a always,io_uring")["syscalls"] == "all"
    for text in ("open", ",", "x,openat", "2048"):
        assert kind(f"-a always,io_uring -S {text}") == "unknown-io_uring-op"
    assert kind("-a always,io_uring -S waitid", "3.1.5") == "unknown-io_uring-op"
    assert rule("-d always,io_uring -S waitid")["syscalls"] == [50]


def test_the_mismatch_warning() -> None:
    for line in ("-S open", "-S getpid,read"):
        assert warnings(f"-a always,exit {line}") == ["arch-mismatch"]
    # the same number in both tables
    assert warnings("-a always,exit -S openat2,statx", "4.2") == ["arch-mismatch"]
    assert warnings("-a always,exit -S openat2") == []
    # the list is not known yet, or the rule is deleted
    assert warnings("-S open -a always,exit") == []
    assert warnings("-d always,exit -S open") == []
    # only the first -S is looked at, but with all bits of the rule
    assert warnings("-a always,exit -S openat2 -S open") == []
    assert warnings("-w /x -S openat2", "3.0.9") == ["arch-mismatch"]
    assert warnings("-a always,exit -S open", machine="aarch64") == []
    assert warnings("-w /x -S openat", "3.0.9", "aarch64") == ["arch-mismatch"]


def test_the_mismatch_warning_of_old_releases() -> None:
    # bits from 512 on are not compared, and lists are looked up as one name
    assert warnings("-a always,exit -S 600,mmap2", "3.1.5") == []
    assert kind("-a always,exit -S 600,1000", "3.0.9") is None
    assert warnings("-a always,exit -S 600", "3.0.9") == []
    assert warnings("-a always,exit -S 3,4", "3.0.9") == []
    assert warnings("-a always,exit -S 3,4", "2.8.5") == ["arch-mismatch"]


# machines


@pytest.mark.parametrize(
    ("machine", "release", "arch", "expected"),
    [
        ("i686", "4.2", "b32", 0x40000003),
        ("i686", "4.2", "b64", None),
        ("x86_64", "4.2", "riscv64", 0xC00000F3),
        ("x86_64", "3.0.9", "riscv64", None),
        ("riscv64", "4.2", "b32", 0x400000F3),
        ("ppc64le", "4.2", "b64", 0xC0000015),
        ("ppc64le", "4.2", "b32", None),
        ("ppc64", "3.0.9", "b32", 0x14),
        ("s390x", "4.2", "b32", 0x16),
        ("aarch64", "4.2", "b32", 0x40000028),
        ("x86_64", "3.0.9", "armv8l", 0xC00000B7),
        ("x86_64", "2.8.5", "armv8l", None),
        ("x86_64", "2.8.5", "ia64", 0xC0000032),
        ("x86_64", "2.8.5", "alpha", None),
        ("alpha", "2.8.5", "b64", 0xC0009026),
        ("mips", "4.2", "b32", None),
        ("mips", "4.2", "x86_64", 0xC000003E),
    ],
)
def test_machines(machine: str, release: str, arch: str, expected: int | None) -> None:
    line = f"-a always,exit -F arch={arch}"
    if expected is None:
        assert kind(line, release, machine) == "unknown-arch"
    else:
        assert fields(line, auditctl=release, machine=machine) == [["arch", "=", expected]]


def test_native_tables() -> None:
    assert rule("-a always,exit -S open", machine="s390x")["syscalls"] == [5]
    assert kind("-a always,exit -S open", machine="aarch64") == "unknown-syscall"
    assert rule("-a always,exit -F arch=b32 -S open", machine="aarch64")["syscalls"] == [5]
    assert kind("-a always,exit -S 5", machine="loongarch64") == "other"
    assert fields("-a always,exit -F exit=-EDEADLOCK", machine="ppc64le") == [["exit", "=", 2**32 - 58]]
    assert fields("-a always,exit -F exit=-EDEADLOCK") == [["exit", "=", 2**32 - 35]]


def test_a_32_bit_auditctl_reads_numbers_otherwise() -> None:
    line = "-a always,exit -F pid=4294967295 -F uid=4294967296"
    assert fields(line, machine="i386") == [["pid", "=", 0x7FFFFFFF], ["uid", "=", UNSET]]
    assert fields(line) == [["pid", "=", UNSET], ["uid", "=", 0]]
    assert kind("-b 4294967296", machine="i386") == "bad-control-value"


# users and groups


def test_names_without_a_list() -> None:
    unknown = Facts()
    line = "-a always,exit -F uid=root -F gid=root -F auid=chrony -F egid=wheel"
    assert fields(line, facts=unknown) == [
        ["uid", "=", 0],
        ["gid", "=", 0],
        ["auid", "=", "chrony"],
        ["egid", "=", "wheel"],
    ]
    for text in ("uid=>0", "gid=-1", "gid=unset", "uid=+5"):
        assert judge(f"-a always,exit -F {text}", facts=unknown).problem is not None
    assert judge("-a always,exit -F uid=ntp", facts=Facts(users_missing=frozenset(("ntp",)))).problem is not None


# control lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-b 8192k", [{"type": "SET", "backlog_limit": 8192}]),
        ("-r010 -e2", [{"type": "SET", "rate_limit": 8}, {"type": "SET", "enabled": 2}]),
        ("--backlog_wait 0x10 -f 1", [{"type": "SET", "backlog_wait_time": 16}, {"type": "SET", "failure": 1}]),
        ("--reset-lost", [{"type": "SET", "lost": 0}]),
        ("--reset_b", [{"type": "SET", "backlog_wait_time_actual": 0}]),
        ("--login", [{"type": "SET_FEATURE", "vers": 0, "mask": 2, "features": 2, "lock": 2}]),
        ("-m hello", [{"type": "USER", "data": "text=hello"}]),
        ("-q /mnt,/data", [{"type": "MAKE_EQUIV", "data": "\x04\0\0\0\x05\0\0\0/mnt/data\0\0\0"}]),
        ("-q ,/x", [{"type": "MAKE_EQUIV", "data": "\0\0\0\0\x02\0\0\0/x\0\0"}]),
        ("--signal reload", [{"signal": 1}]),
        ("-D", ["delete-all"]),
        ("-D -k x", ["delete-all"]),
        ("-l", ["list"]),
        ("-l -i", ["list"]),
        ("-s", ["status"]),
        ("-s -i", ["status"]),
        ("-v", []),
        ("-h", []),
        ("-b 1 -i", [{"type": "SET", "backlog_limit": 1}, "ignore"]),
        ("-c", ["continue"]),
        ("x -i", ["ignore"]),
        ("--", []),
        ("-e 1 --", [{"type": "SET", "enabled": 1}]),
    ],
)
def test_controls(line: str, expected: list[Any]) -> None:
    assert kind(line) is None
    assert sent(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-e 3", "bad-control-value"),
        ("-f 01", "bad-control-value"),
        ("-b x", "bad-control-value"),
        ("-b 18446744073709551616", "bad-control-value"),
        ("-m a b", "bad-message"),
        ("-m a\tb", "bad-message"),
        ("-m \xff", "bad-message"),
        ("-q /a", "bad-equivalent"),
        ("-q /a,", "bad-equivalent"),
        ("-q a,b,c", "bad-equivalent"),
        ("-S open -q a,b", "bad-equivalent"),
        ("-D x", "bad-option-count"),
        ("-D -i x", "bad-option-count"),
        ("-D a b c", "bad-option-count"),
        ("-l x", "bad-option-count"),
        ("-l -i x", "bad-option-count"),
        ("-l a b c", "bad-option-count"),
        ("-s x", "bad-option-count"),
        ("-s a b", "bad-option-count"),
        ("-R /x", "nested-rule-file"),
        ("-i x", "stray-parameter"),
        ("-w /x y", "stray-parameter"),
        ("-w /x -- y", "stray-parameter"),
        ("-w /x -", "stray-parameter"),
        ("-b 1 -vx", "stray-parameter"),
        ("--signal TERM x", "stray-parameter"),
        ("--login x", "stray-parameter"),
        ("foo bar", "no-message"),
        ("-", "no-message"),
        ("-ix", "no-message"),
        ("-D\r", "no-message"),
        ("-Z", "invalid-option"),
        ("-w", "invalid-option"),
        ("---", "invalid-option"),
        ("--signal KILL", "bad-signal"),
    ],
)
def test_bad_controls(line: str, expected: str) -> None:
    assert kind(line) == expected


def test_keys_of_deletions() -> None:
    assert judge("-D -k x").requests[0].key == "x"
    assert judge("-l -k x").requests[0].key == "x"
    # the key is the third word, wherever -k stands
    assert judge("-b5 -D -k").requests[1].key == "-k"
    assert judge("-D -k " + "k" * 300, "3.0.9").requests[0].key == "k" * 256
    assert kind("-D -k " + "k" * 300, "4.2") == "key-too-long"
    assert kind("-l -k a\x01", "4.2") == "key-illegal-character"


def test_crashes() -> None:
    for line in ("-b 8192 -D", "x -l", "-w/usr -l"):
        problem = judge(line, "3.0.9").problem
        assert problem is not None
        assert (problem.kind, problem.status) == ("no-message", -11)
    assert sent("-b 8192 -D") == [{"type": "SET", "backlog_limit": 8192}]
    assert kind("-b 8192 -l") == "bad-option-count"


def test_what_ends_auditctl_at_once() -> None:
    assert judge("--signal x", "3.0.9").problem.status is None  # type: ignore[union-attr]
    assert judge("--signal x", "3.1.5").problem.status == 1  # type: ignore[union-attr]
    assert kind("--signal stop", "3.0.9") == "bad-signal"


def test_releases_before_3() -> None:
    assert kind("-Z", "2.8.5") == "no-message"
    assert kind("--signal TERM", "2.8.5") == "no-message"
    assert sent("-m x", "2.8.5") == [{"type": "USER", "data": "x"}]
    assert sent("-l x", "2.8.5") == ["list"]
    assert kind("-l x", "2.8.5") == "bad-option-count"


def test_help() -> None:
    assert kind("-h", "4.1.3") == "no-message"
    assert kind("-h", "4.2") is None
    assert kind("-h -w /x", "4.2") == "stray-parameter"


def test_what_is_not_sent_is_told() -> None:
    assert judge("-w /x -i").rule is None
    assert warnings("-w /x -i", "3.0.9") == ["rule-not-sent"]
    assert warnings("-w /x -t -k y", "3.0.9") == ["rule-not-sent", "words-ignored"]
    assert warnings("-t -w /x") == ["words-ignored"]
    assert warnings("--reset-lost x", "4.0.3") == ["words-ignored"]
    # requests in front of a mistake are sent
    assert sent("-e 1 -f 9") == [{"type": "SET", "enabled": 1}]


def test_too_many_short_words() -> None:
    # 14 bytes have room for 5 words: the last 0 is lost
    assert kind("-b 2 -b 1 -e 0", "3.0.9") == "invalid-option"
    assert sent("-b 2 -b 1 -e 0", "3.0.9") == [{"type": "SET", "backlog_limit": 2}, {"type": "SET", "backlog_limit": 1}]
    assert warnings("-e 1 -e 1 -", "3.0.9") == ["words-ignored"]
    assert kind("-e 1 -e 1 -", "3.0.9") is None
    assert kind("-e 1 -e 1 -", "4.2") == "stray-parameter"


def test_bytes_of_other_machines() -> None:
    assert kind("-m \xc3\xbc", machine="x86_64") == "bad-message"
    assert sent("-m \xc3\xbc", machine="aarch64") == [{"type": "USER", "data": "text=ü"}]
    assert sent("-q a,b", machine="s390x")[0]["data"] == "\0\0\0\x01\0\0\0\x01ab\0\0"


# command lines


def test_command_lines_are_not_split() -> None:
    reader = Reader(Target(), FACTS)
    line = reader.read_words(["-w", "/a b", "-k", "x\\y"])
    assert line.rule is not None
    assert rule_record(line.rule)["fields"] == [["path", "=", "/a b"], ["perm", "=", 15], ["key", "=", "x\\y"]]
    assert [option.arg for option in line.options] == ["/a b", "x\\y"]
    assert reader.words(line) == [("-w", (0, 2)), ("/a b", (3, 7)), ("-k", (8, 10)), ("x\\y", (11, 14))]
    assert [source.text for source in line.field_sources] == ["/a b", "/a b", "x\\y"]
    assert reader.read_words([b"-w", b"/\xff"]).options[0].arg == "/\udcff"
    assert reader.read_words(["-k", ""]).problem is not None


def test_command_lines_have_other_kinds() -> None:
    def told(words: list[str], release: str) -> tuple[str | None, int | None]:
        problem = Reader(Target(auditctl=release), FACTS).read_words(words).problem
        return (problem.kind, problem.status) if problem else (None, None)

    assert told([], "4.2") == ("usage", 1)
    assert told(["-Z"], "2.8.5") == ("usage", None)
    assert told(["-h"], "3.0.9") == ("usage", None)
    assert told(["-R", "/x"], "4.2") == ("file-missing", 1)
    assert told(["-R", "/x"], "2.8.5") == (None, None)
    assert told(["-R/x"], "4.2") == ("nested-rule-file", None)
    assert told(["-k", "", "-S", ""], "4.2") == ("key-without-watch-or-syscall", None)
    assert told(["-a", "always,exit", "-S", ""], "4.2") == ("unknown-syscall", None)


# where things stand


def test_options_and_fields_of_a_line() -> None:
    text = "-D\n  -a always,exit -Farch=b64 -S open,close -C uid!=euid -F path=/a\\ b -p wa -k x\n"
    reader = Reader(Target(), FACTS)
    source = Source("x.rules", text.encode())
    line = list(reader.read(source))[1]
    assert line.problem is None
    assert [(option.name, option.arg) for option in line.options] == [
        ("-a", "always,exit"),
        ("-F", "arch=b64"),
        ("-S", "open,close"),
        ("-C", "uid!=euid"),
        ("-F", "path=/a b"),
        ("-p", "wa"),
        ("-k", "x"),
    ]
    assert [source.text(option.span) for option in line.options][1:5] == [
        "-Farch=b64",
        "-S open,close",
        "-C uid!=euid",
        "-F path=/a\\ b",
    ]
    parts = [
        (f.index, f.option.name, *(source.text(span) for span in (f.name_span, f.op_span, f.value_span)), f.text)
        for f in line.field_sources
    ]
    assert parts == [
        (0, "-F", "arch", "=", "b64", "b64"),
        (1, "-C", "uid", "!=", "euid", "euid"),
        (2, "-F", "path", "=", "/a\\ b", "/a b"),
        (3, "-p", "", "", "wa", "wa"),
        (4, "-k", "", "", "x", "x"),
    ]
    assert [(word, source.text(span), numbers) for word, span, numbers in line.syscall_words] == [
        ("open", "open", (2,)),
        ("close", "close", (3,)),
    ]


def test_field_sources_of_a_key_field() -> None:
    line = judge("-a always,exit -F key=a -S all,,1 -F uid=0")
    assert [(f.option.arg, line.source.text(f.value_span)) for f in line.field_sources] == [
        ("uid=0", "0"),
        ("key=a", "a"),
    ]
    assert [(word, len(numbers)) for word, _, numbers in line.syscall_words] == [("all", 2048), ("1", 1)]
    assert judge("-a always,io_uring -S openat").syscall_words[0][2] == (18,)


def test_options_without_argument() -> None:
    (option,) = judge("--reset-l").options
    assert (option.name, option.arg, option.span, option.arg_span) == ("--reset-lost", None, (0, 9), None)
    assert judge("-e 1 --nosuch").options[1].name == "--nosuch"


def test_bytes_that_are_no_text() -> None:
    line = judge("-w /\xff -k \xc3\xa9")
    assert line.rule is not None
    assert line.rule.fields[0].value == "/\udcff"
    assert rule_record(line.rule)["fields"] == [["path", "=", "/\\xff"], ["perm", "=", 15], ["key", "=", "é"]]
    assert line.options[1].arg == "é"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditlint.auditctl.vocabulary.MOST_KEPT", 3)
    reader = Reader(Target(), FACTS)
    data = "".join(f"-a always,exit -S {n} -F uid={n}\n" for n in range(9))
    rules = [line.rule for line in reader.read(Source("x", data.encode()))]
    assert [found.fields[0].value for found in rules if found] == list(range(9))
    assert len(reader._pairs) <= 3
