"""Whole files: where a load stops, with which status, and what is loaded then, against the real auditctl in front of a
stand-in that answers as a kernel does (EEXIST, ENOENT, EPERM)."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from auditlint.core.frozen import replace
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.load import program
from tests.differential.compare import FACTS, RELEASE
from tests.differential.standin import Auditctl, Outcome

pytestmark = pytest.mark.real
FILES = int(os.environ.get("AUDITLINT_FILES", "400"))
# No rule beside -b, -e, -f or -r on one line: there auditctl takes the answer about the status, which is first in the
# queue, for the kernel's answer to the rule, and a refusal goes unseen. On a real kernel the order is a matter of luck.
_ADD = """\
-w /etc/passwd -p wa -k a
-w /etc/passwd -p wa -k b
-w /etc/passwd
-w /etc/ssh/ -p r -k ab
-w /etc/ssh -p r -k ab
-a always,exit -F path=/etc/passwd -F perm=wa -k a
-a exit,always -S all -F path=/etc/passwd -F perm=wa -F key=a
-a always,exit -F arch=b64 -S open -k c
-A always,exit -F arch=b64 -S open -k c
-a always,exit -F arch=b64 -S 2 -F key=c
-a always,exit -F arch=b64 -S open -F auid>=1000
-a always,exit -F arch=b64 -F auid>=1000 -S open
-a never,task
-a always,exclude -F msgtype=CWD
-a never,exclude -F msgtype=CWD
-a always,exit -F arch=b64 -S open -F auid!=-1 -k a -k b
-a always,exit -F arch=b64 -S open -F auid!=unset -k a -F key=b
-w /x -k c
-w /y -k c
""".splitlines()
_DELETE = [line.replace("-a ", "-d ").replace("-A ", "-d ").replace("-w ", "-W ") for line in _ADD]
_OTHER = [
    "",
    *"""\
# comment
-D
-D
-D -k a
-D -k c
-e 0
-e 1
-e 2
-b 5
-f 1
-r 0
-t
-l
-s
-m x
--loginuid-immutable
--reset-lost
-a exit,possible -S open
--signal HUP
-q /tmp,/usr
-v
--backlog_wait_time 5
""".splitlines(),
]
_WRONG = """\
foo
-w etc
-S open
-i x
-c -w /z
-b x
-w /etc/passwd -p z
-h
--signal KILL
-D x
-b 5 -f x
-k a
""".splitlines()
_CRASH = ["-b 5 -D", "-w/x -l"]


def _file(random: Random) -> bytes:
    lines = []
    for _ in range(random.randrange(1, 30)):
        pool = random.choices((_ADD, _DELETE, _OTHER, _WRONG, ["-i", "-c"], _CRASH), (60, 20, 30, 6, 4, 0.3))[0]
        lines.append(random.choice(pool).replace(" ", random.choice((" ", " ", " ", "  "))))
    return "\n".join(lines).encode() + b"\n" * random.randrange(2)


def _theirs(outcome: Outcome, data: bytes) -> dict[str, object]:
    pieces = [piece for piece in outcome.pieces if piece.span[0] < len(data)]
    line_of = Source("x", data).line_of
    failed = [line_of(piece.span[0]) for piece in pieces if piece.refused or piece.crash]
    sent = [(piece.kind, what) for piece in pieces for what in piece.sent]
    enabled = [
        what["enabled"]
        for kind, what in sent
        if isinstance(what, dict) and "enabled" in what and kind != "kernel-EPERM"
    ]
    added = [kind for kind, what in sent if isinstance(what, tuple) and what[0] == "add"]
    told: dict[str, object] = {
        "exit": outcome.exit,
        "last_line_read": line_of(pieces[-1].span[0]) if pieces else 0,
        "failed_lines": len(failed),
        "first_failed_line": failed[0] if failed else None,
        "rules_sent": len(added),
        "rules_loaded": sum(1 for kind in added if kind not in ("kernel-EPERM", "kernel-EEXIST")),
        "enabled": enabled[-1] if enabled else None,
    }
    return told if outcome.exit < 0 else {**told, "loaded": Counter(map(repr, outcome.loaded))}


def _ours(data: bytes) -> dict[str, object]:
    found = program.load_file(Source("x", data), Target(kernel="6.1", auditctl=RELEASE), FACTS)
    names = ["exit", "last_line_read", "failed_lines", "first_failed_line", "rules_sent", "rules_loaded", "enabled"]
    told: dict[str, object] = {name: getattr(found.run, name) for name in names}
    loaded = Counter(repr(replace(pair.rule, prepend=False)) for pair in found.loaded)
    return told if found.run.exit < 0 else {**told, "loaded": loaded}


@pytest.mark.slow
def test_generated_files(auditctl: Auditctl) -> None:
    wrong = []
    stopped = 0
    for seed in range(FILES):
        data = _file(Random(seed))
        outcome = auditctl.file(data, mode="state")
        theirs, mine = _theirs(outcome, data), _ours(data)
        stopped += outcome.exit != 0
        if mine != theirs:
            different = {name: (theirs.get(name), mine.get(name)) for name in theirs if theirs[name] != mine.get(name)}
            wrong.append(f"seed {seed}: {data.decode()}\n  auditctl, auditlint: {different}")
    assert not wrong, f"{len(wrong)} of {FILES} files differ:\n" + "\n".join(wrong[:5])
    assert FILES / 5 < stopped < FILES, "the generator gives neither good files only nor bad ones only"
