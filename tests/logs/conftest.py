"""Small logs, and the command that reads them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RULES = (
    "-D\n"
    "-a always,exit -F arch=b64 -S openat -F success=0 -F auid>=1000 -k denied\n"
    "-a always,exit -F arch=b64 -S execve -k exec\n"
    "-w /etc/passwd -p wa -k identity\n"
    "-a always,exit -F arch=b64 -S fchmod -F dir=/srv/data -k data\n"
)
IDS = "uid=1000 gid=1000 euid=1000 suid=1000 fsuid=1000 egid=1000 sgid=1000 fsgid=1000"


def call(
    serial: Any,
    number: Any,
    key: Any,
    *,
    time: float = 1717000000.0,
    paths: Any = (),
    cwd: str = "/",
    exit: int = 0,
    exe: str = "/usr/bin/cat",
    args: Any = (),
    auid: int = 1000,
) -> Any:
    """The lines of one event."""
    stamp = f"msg=audit({time:.3f}:{serial})"
    words = [*args, *["0"] * (4 - len(args))]
    shown = f'"{key}"' if key else "(null)"
    lines = [
        f"type=SYSCALL {stamp}: arch=c000003e syscall={number} success={'yes' if exit >= 0 else 'no'} exit={exit} "
        f"a0={words[0]} a1={words[1]} a2={words[2]} a3={words[3]} items={len(paths)} "
        f"ppid=900 pid=901 auid={auid} {IDS} "
        f'tty=pts0 ses=3 comm="{exe.rpartition("/")[2]}" exe="{exe}" subj=unconfined key={shown}'
    ]
    if paths:
        lines.append(f'type=CWD {stamp}: cwd="{cwd}"')
    for item, (name, inode, mode, kind) in enumerate(paths):
        text = f'"{name}"' if name else "(null)"
        known = f" inode={inode} dev=fe:01 mode={mode} ouid=0 ogid=0 rdev=00:00" if mode else ""
        lines.append(f"type=PATH {stamp}: item={item} name={text}{known} nametype={kind}")
    lines.append(f"type=PROCTITLE {stamp}: proctitle=636174")
    return lines


@pytest.fixture
def log(tmp_path: Path) -> Any:
    """Six events of known rules, and one message of a program."""
    at = "ffffff9c"
    passwd = ("/etc/passwd", 77, "0100644", "NORMAL")
    lines = [
        *call(
            41, 257, "denied", exit=-13, args=(at, "7ffe", "0"), paths=[("shadow", 78, "0100640", "NORMAL")], cwd="/etc"
        ),
        *call(42, 257, "identity", exit=3, args=(at, "7ffe", "1"), paths=[passwd]),
        *call(43, 59, "exec", exe="/usr/bin/ls", time=1717000030.5, paths=[("/usr/bin/ls", 90, "0100755", "NORMAL")]),
        *call(44, 59, "exec", exe="/usr/bin/ls", time=1717000090.5, paths=[("/usr/bin/ls", 90, "0100755", "NORMAL")]),
        *call(
            45,
            257,
            "denied",
            exit=-2,
            args=(at, "7ffe", "0"),
            paths=[("/srv/data/x", 0, "", "UNKNOWN")],
            time=1717000091,
        ),
        'type=USER_LOGIN msg=audit(1717000092.000:46): pid=1 uid=0 auid=1000 ses=3 msg=\'op=login acct="bob" '
        'exe="/usr/sbin/sshd" hostname=? addr=? terminal=ssh res=success\'',
        *call(49, 59, "exec", exe="/usr/bin/id", time=1717000100, paths=[("/usr/bin/id", 91, "0100755", "NORMAL")]),
    ]
    (tmp_path / "audit.log").write_text("\n".join(lines) + "\n")
    (tmp_path / "a.rules").write_text(RULES)
    return tmp_path


@pytest.fixture
def replay(tmp_path: Path) -> Any:
    """Runs the command in the folder; `--format json` is parsed."""

    def run(*words: Any, stdin: Any = None, status: int = 0) -> Any:
        argv = [sys.executable, "-m", "auditlint", "replay", "--kernel", "6.1", "--auditctl", "3.0.9", *words]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, input=stdin, check=False)
        error = done.stderr.decode()
        assert done.returncode == status, error
        assert "Traceback" not in error
        if status:
            return error
        text = done.stdout.decode()
        return json.loads(text) if "json" in words else text

    return run
