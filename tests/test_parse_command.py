"""`auditlint parse` and `auditlint merge` as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def run(*words: str, stdin: bytes = b"", **environment: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "auditlint", *words],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )
    assert b"Traceback" not in done.stderr
    return done


def records(*words: str, stdin: bytes = b"") -> list[dict[Any, Any]]:
    done = run(*words, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("-w /a -p wa -k x\n-w b\n-e 2\n")
    found = records("parse", "--auditctl", "3.0.9", str(path))
    assert found == [
        {
            "file": str(path),
            "run": {
                "exit": 1,
                "read_to_end": False,
                "last_line_read": 2,
                "rules_loaded": 1,
                "rules_sent": 1,
                "failed_lines": 1,
                "first_failed_line": 2,
                "exit_with_c": 1,
                "complete_with_c": True,
            },
        },
        {
            "file": str(path),
            "line": 1,
            "verdict": "rule",
            "rule": {
                "list": "exit",
                "action": "always",
                "syscalls": "all",
                "fields": [["path", "=", "/a"], ["perm", "=", 10], ["key", "=", "x"]],
            },
        },
        {
            "file": str(path),
            "line": 2,
            "verdict": "error",
            "stage": "auditctl",
            "kind": "bad-path",
            "messages": found[2]["messages"],
        },
        {
            "file": str(path),
            "line": 3,
            "verdict": "control",
            "control": [{"type": "SET", "enabled": 2}],
            "lost": True,
        },
    ]


def test_standard_input_and_several_inputs(tmp_path: Path) -> None:
    path = tmp_path / "a.conf"
    path.write_text("-D\n")
    found = records("parse", str(path), "-", "--stdin-filename", "x", stdin=b"-l\n-b 5 -D\n-w /a\n")
    assert [(each["file"], each.get("line"), each.get("lists_rules")) for each in found] == [
        (str(path), None, None),
        (str(path), 1, True),
        ("x", None, None),
        ("x", 1, True),
        ("x", 2, None),  # auditctl crashes here: there is no record behind it
    ]


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "10.rules").write_text("# c\n-w /a -k a")
    (tmp_path / "20.rules").write_text("-w /b\n-w /c\n")
    found = records("parse", str(tmp_path))
    assert [(each["line"], each["source"]) for each in found[1:]] == [
        (5, {"file": f"{tmp_path}/10.rules", "line": 2}),
        (6, {"file": f"{tmp_path}/20.rules", "line": 2}),
    ]
    assert found[1]["sources"] == [
        {"file": f"{tmp_path}/10.rules", "line": 2},
        {"file": f"{tmp_path}/20.rules", "line": 1},
    ]


def test_command_lines() -> None:
    (one,) = records("parse", "--argv", "--", "-W", "/a", "-k", "k")
    assert one == {
        "argv": ["-W", "/a", "-k", "k"],
        "ok": False,
        "exit": 255,
        "rule": one["rule"],
        "verdict": "error",
        "stage": "kernel",
        "kind": "kernel-ENOENT",
        "messages": one["messages"],
    }
    text = b'["-s"]\n\n["-w", "/\xc3\xbc"]\n["-b", "8192", "-D"]\n'
    found = records("parse", "--argv-json", "-", stdin=text)
    assert [(each["verdict"], each["exit"], each["ok"]) for each in found] == [
        ("none", 0, True),
        ("rule", 0, True),
        ("error", -11, False),
    ]
    assert found[0]["rule"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{}\n", "not a JSON array"),
        (b"[1]\n", "not a JSON array"),
        (b"\n[\n", "-:2: not valid JSON"),
        (b"[" * 9999, "not valid JSON"),
    ],
)
def test_wrong_command_lines(text: bytes, said: str) -> None:
    done = run("parse", "--argv-json", "-", stdin=text)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_encoded_rules() -> None:
    words = ["-a", "always,exit", "-F", "dir=x"]
    (one,) = records("parse", "--encode", "--argv", "--", *words)
    raw = bytes.fromhex(one["encoded"])
    assert raw[:12] == bytes([4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0])  # exit list, always, one field
    assert raw[-5:] == b"\1\0\0\0x"
    assert len(one["more_encoded"]) == 1
    (big,) = records("parse", "--encode", "--machine", "s390x", "--argv", "--", *words)
    assert bytes.fromhex(big["encoded"])[:4] == bytes([0, 0, 0, 4])
    (unknown,) = records("parse", "--encode", "--argv", "--", "-a", "always,exit", "-F", "uid=nobody-knows")
    assert unknown["encoded"] is None
    (listing,) = records("parse", "--encode", "--argv", "--", "-l")
    assert "encoded" not in listing


def test_root(tmp_path: Path) -> None:
    for name in ("etc", "srv/data"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "etc/passwd").write_text("root:x:0:0:::\nana:x:1200:100:::\n")
    text = b"-w /srv/data -k d\n-w /srv/none/x -k n\n-a always,exit -F uid=ana -S 1\n-a always,exit -F uid=bob -S 1\n"
    found = records("parse", "--root", str(tmp_path), "-", stdin=text)
    assert found[1]["rule"]["fields"][0] == ["dir", "=", "/srv/data"]
    assert found[2]["kind"] == "kernel-ENOENT"
    assert found[3]["rule"]["fields"] == [["uid", "=", 1200]]
    assert found[4]["kind"] == "unknown-user"


def test_text(tmp_path: Path) -> None:
    done = run("parse", "--format", "text", "-", stdin=b"-w /a -p wa -k x\n-w b\n-e 2\n")
    lines = done.stdout.decode().splitlines()
    assert lines.pop(2).startswith("  2  error           bad-path: ")
    assert lines == [
        "-: 1 rule loaded, 1 failed (exit status 1)",
        "  1  rule            exit,always [all calls] path=/a perm=wa key=x",
        "  3  control (lost)  type=SET enabled=2",
        "  loading stops at line 2; 1 later line lost",
    ]


def test_text_of_a_refused_file(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text("kernel = { enabled = 2 }\n")
    done = run("parse", "--format", "text", "--facts", str(tmp_path / "f.toml"), "-", stdin=b"-w /a\n")
    assert done.stdout.decode().startswith("-: refused as a whole: the audit system is locked")
    (head, _) = records("parse", "--facts", str(tmp_path / "f.toml"), "-", stdin=b"-w /a\n")
    assert head["run"]["refused"]["kind"] == "kernel-locked"


def test_output_is_utf_8_in_every_locale() -> None:
    done = run("parse", "-", stdin="-w /ü -k \udcff\n".encode("utf-8", "surrogateescape"), LC_ALL="C", PYTHONUTF8="0")
    assert done.returncode == 0
    fields = json.loads(done.stdout.splitlines()[1])["rule"]["fields"]
    assert fields[0] == ["path", "=", "/ü"]
    assert fields[2] == ["key", "=", "\\xff"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["parse"], "expected either paths"),
        (["parse", "a", "--argv", "--", "-l"], "expected either paths"),
        (["parse", "--argv", "-l"], "--argv must be followed by --"),
        (["parse", "--kernel", "x", "-"], "--kernel x"),
        (["parse", "/dev/zero"], "is a device"),
        (["parse", "nosuch.rules"], "No such file"),
        (["merge"], "DIR"),
        (["merge", "nosuch"], "No such file"),
        (["merge", "--awk", "perl", "."], "perl"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(words: list[str], said: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("auditlint: ")
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_merge(tmp_path: Path) -> None:
    (tmp_path / "10.rules").write_bytes(b"  # c\n-w /a\r\n-e 1\n\xff")
    (tmp_path / "20.rules").write_bytes(b"-e 2\n")
    (tmp_path / "30.rules.bak").write_bytes(b"")
    head = b"## This file is automatically generated from /etc/audit/rules.d\n\n\n\n"
    done = run("merge", str(tmp_path))
    assert done.stdout == head + b"-w /a\n\xff-e 2\n-e 1\n"
    assert done.stderr.decode() == (
        f"auditlint: {tmp_path}: augenrules ignores '30.rules.bak': its name does not end in .rules\n"
    )
    assert run("merge", "--awk", "mawk", "--auditctl", "3.0.9", str(tmp_path)).stdout == (
        head + b"  # c\n-w /a\r\n\xff-e 2\n-e 1\n"
    )


def test_map_of_a_merge(tmp_path: Path) -> None:
    (tmp_path / "10.rules").write_bytes(b"-w /a\n-w /b")
    (tmp_path / "20.rules").write_bytes(b"-D\n")
    first, second = f"{tmp_path}/10.rules", f"{tmp_path}/20.rules"
    assert records("merge", "--map", str(tmp_path)) == [
        *({"line": number, "source": None} for number in range(1, 5)),
        {"line": 5, "source": {"file": first, "line": 1}},
        {
            "line": 6,
            "source": {"file": first, "line": 2},
            "sources": [{"file": first, "line": 2}, {"file": second, "line": 1}],
        },
        {"line": 7, "source": None},
    ]


def test_reader_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("-w /a\n" * 20000)
    command = f"{sys.executable} -m auditlint parse {path} | head -c 10 >/dev/null"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in done.stderr
