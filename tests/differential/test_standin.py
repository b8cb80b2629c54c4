"""The stand-in itself: nothing gets past it, and what it records is what auditctl sent."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from auditlint.auditctl.model import ALL_SYSCALLS, Field, Rule
from auditlint.core.frozen import replace
from tests.differential import standin
from tests.differential.lines import generate
from tests.differential.standin import Auditctl

pytestmark = pytest.mark.real
WATCH = Rule(
    "exit", "always", ALL_SYSCALLS, (Field("path", "=", "/etc/passwd"), Field("perm", "=", 10), Field("key", "=", "k"))
)


def test_rule_is_decoded(auditctl: Auditctl) -> None:
    (piece,) = auditctl.judge(b"-w /etc/passwd -p wa -k k\n")
    assert (piece.span, piece.refused, piece.crash, piece.messages) == ((0, 26), False, 0, ())
    assert piece.sent == (("add", WATCH),) and len(piece.rules) == 1


def test_mask_list_and_operators(auditctl: Auditctl) -> None:
    (piece,) = auditctl.judge(b"-A never,exit -F arch=b32 -S open,2031 -F auid>=1000 -F a0&0x10")
    fields = (Field("arch", "=", 0x40000003), Field("auid", ">=", 1000), Field("a0", "&", 16))
    assert piece.sent == (("add", Rule("exit", "never", 1 << 5 | 1 << 2031, fields, True)),)


def test_lines_are_judged_one_by_one(auditctl: Auditctl) -> None:
    pieces = auditctl.judge(b"-w /a\nfoo\n# -w /b\n\n-w etc\n-F uid=nosuch\n-w /c\0 -p z\n-b 7")
    assert [piece.kind for piece in pieces] == [None, "no-message", None, None, "bad-path", "list-missing", None, None]
    assert [len(piece.sent) for piece in pieces] == [1, 0, 0, 0, 0, 0, 1, 1]
    assert pieces[-1].sent == ({"type": "SET", "backlog_limit": 7},)


def test_long_line_comes_in_pieces(auditctl: Auditctl) -> None:
    pieces = auditctl.judge(b"# " + b"x" * 6141 + b"-w /tail\n-e 1\n")
    assert [piece.span for piece in pieces] == [(0, 6143), (6143, 6152), (6152, 6157)]
    assert [len(piece.sent) for piece in pieces] == [0, 1, 1]


def test_a_crash_is_seen_and_the_rest_still_judged(auditctl: Auditctl) -> None:
    pieces = auditctl.judge(b"-b 5 -D\n-w /a\n")
    assert [(piece.crash, piece.kind, len(piece.sent)) for piece in pieces] == [(11, "no-message", 1), (0, None, 1)]


def test_directories_users_and_machine_are_ours(auditctl: Auditctl) -> None:
    text = b"-w /etc/ssh/\n-w /nosuch\n-a always,exit -F uid=nobody -F gid=adm\n-a always,exit -F uid=www-data\n"
    a, b, c, d = auditctl.judge(text)
    assert [rule.fields[0] for (_, rule), *_ in (a.sent, b.sent)] == [
        Field("dir", "=", "/etc/ssh"),
        Field("path", "=", "/nosuch"),
    ]
    assert c.sent[0][1].fields == (Field("uid", "=", 65534), Field("gid", "=", 4))
    assert d.kind == "unknown-user"
    (piece,) = auditctl.judge(b"-a always,exit -F arch=b64 -S openat", "aarch64")
    assert piece.sent[0][1].fields == (Field("arch", "=", 0xC00000B7),) and piece.sent[0][1].mask == 1 << 56


def test_paths_are_followed(auditctl: Auditctl) -> None:
    paths = b"/etc/../etc /etc/ssh/./ //etc /../etc /nosuch/../etc /etc/passwd/.. /etc/ssh/.. /".split()
    pieces = auditctl.judge(b"".join(b"-w " + path + b"\n" for path in paths))
    kinds = [piece.sent[0][1].fields[0].name for piece in pieces]
    assert kinds == ["dir", "dir", "dir", "dir", "path", "path", "dir", "dir"]


def test_signals_do_not_leave(auditctl: Auditctl) -> None:
    assert auditctl.judge(b"--signal TERM")[0].sent == (("signal", 15),)


def test_state_answers_like_a_kernel(auditctl: Auditctl) -> None:
    text = b"-c\n-w /a -k k\n-w /a -k k\n-W /a -k k\n-W /a -k k\n-w /b\n-D\n-w /b\n-e 2\n-w /c\n-D\n"
    outcome = auditctl.file(text, mode="state")
    assert [piece.kind for piece in outcome.pieces] == [
        None, None, "kernel-EEXIST", None, "kernel-ENOENT", None, None, None, None, "kernel-EPERM", "kernel-EPERM",
    ]  # fmt: skip
    assert outcome.exit == 1
    assert [what[0] for what in outcome.pieces[6].sent if isinstance(what, tuple)] == ["delete"]


def test_plain_run_stops_at_the_first_error(auditctl: Auditctl) -> None:
    outcome = auditctl.file(b"-w /a\nfoo\n-w /b\n")
    assert outcome.exit == 1 and len(outcome.pieces) == 2
    assert auditctl.file(b"-i\nfoo\n-w /b\n").exit == 0


def test_one_command_line(auditctl: Auditctl) -> None:
    outcome = auditctl.words([b"-w", b"/etc/passwd", b"-p", b"wa", b"-k", b"k"])
    assert outcome.exit == 0 and outcome.pieces[0].sent == (("add", WATCH),)
    assert auditctl.words([b"-w", b"etc"]).exit == 255
    assert auditctl.words([b"-b", b"5", b"-D"]).exit == -11


def test_without_the_stand_in_nothing_is_asked_of_auditctl(auditctl: Auditctl, tmp_path: object) -> None:
    broken = Auditctl.__new__(Auditctl)
    broken.folder, broken.library = auditctl.folder, auditctl.folder / "nosuch.so"
    with pytest.raises(RuntimeError, match="not loaded"):
        broken.judge(b"-w /etc\n")


def test_no_socket_is_opened(auditctl: Auditctl) -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    rules = auditctl.folder / "some.rules"
    rules.write_bytes(b"-c\n-D\n-b 5\n-w /etc/passwd\n-s\n-l\n--signal HUP\n-m hello\n")
    argv = auditctl.folder / "some.argv"
    argv.write_bytes(b"-R\0" + bytes(rules) + b"\0")
    variables = {"LD_PRELOAD": auditctl.library, "AUDITLINT_STANDIN_TOKEN": "T", "AUDITLINT_STANDIN_ARGV": argv}
    command = ["strace", "-f", "-e", "trace=%network,kill", "-o", str(auditctl.folder / "trace")]
    for name, value in variables.items():
        command += ["-E", f"{name}={value}"]
    done = subprocess.run([*command, standin.AUDITCTL], capture_output=True, check=False)
    if b"ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.stderr.count(b"TM1011") == 1, done.stderr
    calls = (auditctl.folder / "trace").read_text()
    assert "socket(" not in calls and "send" not in calls and "kill(" not in calls


def test_generated_lines_reach_far(auditctl: Auditctl) -> None:
    """The generator gives accepted lines and every kind of mistake; the same seed gives the same lines."""
    lines = generate(4000)
    assert lines == generate(4000) and len(set(lines)) == 4000 and generate(10, 1) != generate(10, 2)
    pieces = auditctl.judge(b"\n".join(lines) + b"\n")
    kinds = [piece.kind for piece in pieces]
    assert kinds.count(None) > len(kinds) / 5
    assert len(set(kinds)) > 35
    rules = [what[1] for piece in pieces for what in piece.sent if isinstance(what, tuple) and what[0] == "add"]
    assert len({field.name for rule in rules for field in rule.fields}) > 35
    assert len({replace(rule, prepend=False) for rule in rules}) > 500
