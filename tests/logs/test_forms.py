"""The same events in every form in which logs are kept give the same rules."""

import json
import re
from typing import Any

import pytest

from auditlint.auditctl.tables import record_types

RULES = {2: 2, 3: 3, 4: 1}
LINE = re.compile(r"type=(\w+) msg=audit\((\d+)\.(\d+):(\d+)\): (.*)")


def parsed(log: Any) -> Any:
    lines = (log / "audit.log").read_text().splitlines()
    return [match.groups() for line in lines if (match := LINE.fullmatch(line))]


def syslog(log: Any) -> str:
    return "\n".join(f"May 29 16:26:40 web1 audispd: {line}" for line in (log / "audit.log").read_text().splitlines())


def kernel(log: Any) -> str:
    numbers = record_types("4.2")
    rows = [f"[ 12.3] audit: type={numbers[kind]} audit({s}.{ms}:{n}): {rest}" for kind, s, ms, n, rest in parsed(log)]
    return "\n".join(["[ 1.0] audit: backlog limit exceeded", *rows, "[ 9.0] audit: audit_lost=17 audit_rate_limit=0"])


def journal_json(log: Any) -> str:
    numbers = record_types("4.2")
    rows = []
    for kind, seconds, ms, serial, rest in parsed(log):
        message = f"{kind} {rest}"
        row = {
            "_TRANSPORT": "audit",
            "_AUDIT_TYPE": str(numbers[kind]),
            "_AUDIT_ID": serial,
            "_SOURCE_REALTIME_TIMESTAMP": f"{seconds}{ms}000",
            "_HOSTNAME": "web1",
            "MESSAGE": list(message.encode()) if kind == "CWD" else message,
        }
        rows.append(json.dumps(row))
    return "\n".join(rows)


def journal_export(log: Any) -> Any:
    numbers = record_types("4.2")
    out = b""
    for kind, seconds, ms, serial, rest in parsed(log):
        message = f"{kind} {rest}".encode()
        out += f"__CURSOR=s=1;i=2\n_AUDIT_TYPE={numbers[kind]}\n_AUDIT_ID={serial}\n".encode()
        out += f"_SOURCE_REALTIME_TIMESTAMP={seconds}{ms}000\n".encode()
        if kind == "PATH":
            out += b"MESSAGE\n" + len(message).to_bytes(8, "little") + message + b"\n\n"
        else:
            out += b"MESSAGE=" + message + b"\n\n"
    return out


def laurel(log: Any) -> str:
    events: dict[Any, Any] = {}
    for kind, seconds, ms, serial, rest in parsed(log):
        fields: dict[str, Any] = {}
        for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', rest.split(" msg='")[0]):
            text = None if value == "(null)" else value.strip('"')
            fields[name] = f"0x{text}" if re.fullmatch("arch|a[0-3]", name) else text
        for name in ("syscall", "exit", "pid", "ppid", "auid", "uid", "gid", "items", "inode", "item", "ses"):
            if name in fields:
                fields[name] = int(fields[name])
        if "mode" in fields:
            fields["mode"] = "0o" + fields["mode"]
        event = events.setdefault(f"{seconds}.{ms}:{serial}", {})
        if kind == "PATH":
            event.setdefault("PATH", []).append(fields)
        else:
            event[kind] = fields
    for event in events.values():
        if "SYSCALL" in event:
            event["SYSCALL"] |= {"ARCH": "x86_64", "UID": "bob"}
    return "\n".join(json.dumps({"ID": stamp, "NODE": "web1", **event}) for stamp, event in events.items())


SPELLED = (
    ('"', ""),
    ("arch=c000003e", "arch=x86_64"),
    ("exit=-13", "exit=EACCES(Permission denied)"),
    ("exit=-2", "exit=ENOENT(No such file or directory)"),
    ("syscall=257", "syscall=openat"),
    ("syscall=59", "syscall=execve"),
    ("a0=ffffff9c", "a0=AT_FDCWD"),
    ("a1=7ffe", "a1=0x7ffe"),
    ("a2=1 ", "a2=O_WRONLY|O_APPEND "),
    ("auid=1000", "auid=bob"),
    ("mode=0100", "mode=file,"),
    ("ouid=0", "ouid=root"),
)
"""What ausearch -i writes for numbers."""


def interpreted(log: Any) -> str:
    rows = []
    for kind, seconds, ms, serial, rest in parsed(log):
        minute, second = divmod(int(seconds) - 1717000000 + 40, 60)
        for number, name in SPELLED:
            rest = rest.replace(number, name)
        rows.append(f"type={kind} msg=audit(05/29/2024 16:{26 + minute}:{second:02}.{ms}:{serial}) : {rest}")
    return "----\n" + "\n".join(rows)


FORMS = [syslog, kernel, journal_json, journal_export, laurel, interpreted]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms(form: Any, log: Any, replay: Any) -> None:
    text = form(log)
    (log / "facts.toml").write_text("users = { root = 0, bob = 1000 }\n")
    (log / "other").write_bytes(text if isinstance(text, bytes) else text.encode() + b"\n")
    answer = replay("other", "a.rules", "--format", "json", "--facts", "facts.toml")
    assert {row["line"]: row["events"] for row in answer["rules"] if row["events"]} == RULES
    assert answer["log"]["events"] == 7
    assert answer["log"]["first"] == 1717000000.0
    assert answer["log"]["skipped"] == []
    if form is kernel:
        assert answer["log"]["lost"] == {"reports": 2, "records": 17}


def test_names_that_nobody_explains_stay_unknown(log: Any, replay: Any) -> None:
    """Without the users of the host `auid=bob` may be anybody: the key in the log decides."""
    (log / "other").write_text(interpreted(log) + "\n")
    answer = replay("other", "a.rules", "--format", "json")
    assert {row["line"]: row["events"] for row in answer["rules"] if row["events"]} == RULES
    assert answer["agreement"]["by_key"] == 2
