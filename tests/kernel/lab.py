"""The laboratory of the decisions: real kernels, known rule sets, known processes doing known things.

What the operations files leave to their README (groups, process ids, the forks, the file system) is filled in here,
so that each system call becomes an event as `auditlint match` takes it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditlint.cli.commands.match import run as match
from auditlint.core.facts import Facts, Mount
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.kernel.effects import behind
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event import Event
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.storage import Storage, store
from auditlint.load.program import load_file

SAMPLE = Path(__file__).parent / "data" / "decisions.json.gz"
KERNELS = ("5.10", "6.1", "6.12")
GROUPS = {"root": [], "adm": [4], "alice": [10, 27], "bob": [1000], "svc": [], "sux": [27]}
UNSET = 4294967295
NOBODY_YET = {"auid": UNSET, **dict.fromkeys(("uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid"), 0)}
TREE = {
    "/init": 80, "/t": 145, "/t/etc": 146, "/t/etc/passwd": 147, "/t/etc/shadow": 148, "/t/etc/conf.d": 149,
    "/t/etc/conf.d/a.conf": 150, "/t/etc/conf.d/b.conf": 151, "/t/home": 152, "/t/home/u1": 153,
    "/t/home/u1/note": 154, "/t/home/u1/data": 155, "/t/home/u2": 156, "/t/home/u2/secret": 157, "/t/tmp": 158,
    "/t/bin": 159, "/t/bin/tool": 160, "/t/bin/tool2": 161, "/t/mnt": 162, "/t/link": 163, "/t/dlink": 164,
    "/t/tmp/hard": 147, "/t/sock": 165,
}  # fmt: skip
"""Files that last and their inode numbers; one tmpfs holds everything."""
DIRECTORIES = (
    "/t", "/t/etc", "/t/etc/conf.d", "/t/home", "/t/home/u1", "/t/home/u2", "/t/tmp", "/t/tmp/edir", "/t/bin", "/t/mnt",
    "/t/dlink",
)  # fmt: skip
RESTORED = ("/t/tmp/victim", "/t/tmp/from", "/t/tmp/edir", "/t/home/u1/a", "/t/home/u1/gone")
"""Files that operations remove and that the laboratory makes anew behind each operation."""
FACTS = Facts(
    inodes=TREE,
    symlinks={"/t/link": "etc/passwd", "/t/dlink": "etc"},
    mounts={"/": Mount("0:2", 0x01021994)},
    directories=frozenset(DIRECTORIES),
    lsm="apparmor",
)

Written = tuple[int | None, int | None, str | None, str]
"""An event in the log: system call, ABI, key and record types; without a SYSCALL record the first three are None."""


@dataclass(frozen=True)
class Data:
    """Operations by (actor, name), and rule sets, of one kernel."""

    kernel: str
    operations: dict[tuple[str, str], list[dict[str, Any]]]
    sets: list[dict[str, Any]]


def shared_data(folder: Path, kernel: str) -> Data:
    operations = _lines(folder / f"decisions/operations-{kernel}.jsonl")
    return Data(
        kernel,
        {(each["actor"], each["op"]): each["events"] for each in operations},
        list(_lines(folder / f"decisions/decisions-{kernel}.jsonl")),
    )


def sample_data(kernel: str) -> Data:
    """The part of the facts that is kept beside the tests."""
    whole = json.loads(gzip.decompress(SAMPLE.read_bytes()))[kernel]
    return Data(kernel, {(each[0], each[1]): each[2] for each in whole["operations"]}, whole["sets"])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def target_of(kernel: str) -> Target:
    return Target(kernel, "x86_64", "3.0.9")


def load(rules: Iterable[str], kernel: str) -> Storage:
    """The rules as auditctl 3.0.9 loads them."""
    source = Source("set.rules", ("\n".join(rules) + "\n").encode())
    program = load_file(source, target_of(kernel), FACTS)
    assert program.run.failed_lines == 0
    return store(program.loaded, program.target, FACTS)


class Actor:
    """A process of the laboratory: fills in what the operations files leave out."""

    def __init__(self, name: str, data: Data) -> None:
        self.name = name
        self.old = data.kernel == "5.10"
        self.ids = data.operations[name, "getppid"][0]["ids"]
        # The forked process has taken its identity by calls that succeeded.
        self.last: dict[str, Any] = {"family": None, "exit": 0, "success": True}

    def events(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The calls of one operation as events."""
        found = []
        child: dict[str, Any] = {"family": None, "exit": None, "success": None}
        for call in calls:
            event = {**call, "groups": GROUPS[self.name], "pers": 0, "pid": "pid"}
            if call["process"] == "child":
                event["ppid"] = "pid"
                event["task"] = {"ids": self.ids, "groups": GROUPS[self.name], "ppid": "pid"}
            else:
                event["ppid"] = 1
                event["task"] = {"ids": NOBODY_YET, "groups": [], "ppid": 1}
            if self.old:
                last = child if call["process"] == "child" else self.last
                event["last"] = dict(last)
                last.update(family=call.get("family", last["family"]), exit=call["exit"], success=call["success"])
            found.append(event)
        return found


def written(event: dict[str, Any], storage: Storage) -> tuple[Event, list[Written], bool]:
    """The event as read, what the model says is written for it, and whether it was sure."""
    read = event_from_json(event, storage.target, lambda name, arch: None)
    decision = decide(storage, read)
    if decision.logged is None or decision.records is None:
        return read, [], False
    names = " ".join(decision.records)
    if decision.logged:
        return read, [(event["nr"], event["abi"], decision.key, names)], True
    return read, [(None, None, None, names)] if names else [], True


def expected(result: dict[str, Any], events: list[dict[str, Any]]) -> list[Written]:
    """What the real kernel wrote."""
    usual = {(event["nr"], event["abi"]): event["records"] for event in events}
    found: list[Written] = []
    for each in result["logged"]:
        if "syscall" in each:
            call = (each["syscall"], each["abi"])
            found.append((*call, each["key"], each.get("records", usual.get(call))))
        else:
            found.append((None, None, None, each["records"]))
    return found


@dataclass(frozen=True)
class Difference:
    """An operation for which the model says something else than the kernel."""

    set: str
    actor: str
    operation: str
    found: tuple[Written, ...]
    expected: tuple[Written, ...]

    @property
    def decision_differs(self) -> bool:
        """Whether more than the list of records differs."""
        return sorted(each[:3] for each in self.found if each[0] is not None) != sorted(
            each[:3] for each in self.expected if each[0] is not None
        )


def replay(data: Data, carry: bool) -> tuple[dict[str, int], list[Difference]]:
    """All operations through the model; with `carry` what a call does to the rules is kept for the next ones.

    Gives the number of operations for d and h sets, and the differences.
    """
    counts = {"d": 0, "h": 0}
    differences = []
    for each in data.sets:
        storage = load(each["rules"], data.kernel)
        actor = None
        for result in each["results"]:
            counts[each["id"][0]] += 1
            if actor is None or actor.name != result["actor"]:
                actor = Actor(result["actor"], data)
            calls = data.operations[result["actor"], result["op"]]
            events = actor.events(calls)
            found: list[Written] = []
            sure = True
            for event in events:
                read, lines, known = written(event, storage)
                found += lines
                sure = sure and known
                storage = _behind(storage, read) if carry else storage
            if carry:
                for event in cleanup(calls):
                    storage = _behind(storage, event_from_json(event, storage.target, lambda name, arch: None))
            real = expected(result, events)
            if not sure or sorted(map(str, found)) != sorted(map(str, real)):
                differences.append(Difference(each["id"], result["actor"], result["op"], tuple(found), tuple(real)))
    return counts, differences


def _behind(storage: Storage, event: Event) -> Storage:
    left = behind(storage, event)
    assert left is not None
    return left


def cleanup(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the laboratory does to put the tree back: new names are removed, removed ones made again."""
    touched = {
        thing["name"]: thing
        for call in calls
        if call["success"]
        for thing in call.get("objects", ())
        if thing["type"] in ("CREATE", "DELETE")
    }
    found = []
    for name, thing in touched.items():
        if (thing["type"] == "DELETE") is (name in RESTORED):
            undone = {"name": name, "mode": thing["mode"], "type": "CREATE" if thing["type"] == "DELETE" else "DELETE"}
            found.append({"abi": 64, "exit": 0, "objects": [undone]})
    return found


Answer = list[str]


def match_command(data: Data, chosen: dict[str, Any], folder: Path, in_order: bool) -> list[tuple[Answer, Answer]]:
    """What `auditlint match` writes for each operation of a set, through files, and what the kernel wrote.

    With `in_order` the clean-up behind each operation is among the events.
    """
    events: list[dict[str, Any]] = []
    operations: list[tuple[list[dict[str, Any]], int, Answer]] = []
    actor = None
    for result in chosen["results"]:
        if actor is None or actor.name != result["actor"]:
            actor = Actor(result["actor"], data)
        calls = data.operations[result["actor"], result["op"]]
        made = actor.events(calls)
        undone = cleanup(calls) if in_order else []
        events += made + undone
        operations.append((made, len(undone), sorted(map(str, expected(result, made)))))
    (folder / "set.rules").write_text("\n".join(chosen["rules"]) + "\n")
    (folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (folder / "facts.toml").write_text(
        "directories = " + json.dumps(DIRECTORIES) + '\nlsm = "apparmor"\n'
        '[symlinks]\n"/t/link" = "etc/passwd"\n"/t/dlink" = "etc"\n'
        '[mounts]\n"/" = { dev = "0:2", fstype = 0x01021994 }\n'
        "[inodes]\n" + "".join(f'"{path}" = {number}\n' for path, number in TREE.items())
    )
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(written):
        assert (
            match(
                [
                    str(folder / "set.rules"),
                    *("--events", str(folder / "events.jsonl"), "--facts", str(folder / "facts.toml")),
                    *("--kernel", data.kernel, "--machine", "x86_64", "--auditctl", "3.0.9", "--no-config"),
                    *(["--in-order"] if in_order else []),
                ]
            )
            == 0
        )
    written.seek(0)
    lines = [json.loads(line) for line in written]
    assert len(lines) == len(events)
    found = []
    for made, more, real in operations:
        answers = [_written_by(event, line) for event, line in zip(made, lines, strict=False)]
        del lines[: len(made) + more]
        found.append((sorted(str(each) for each in answers if each is not None), real))
    return found


def _written_by(event: dict[str, Any], line: dict[str, Any]) -> Written | None:
    if line["logged"] is None:
        return event["nr"], event["abi"], "not known", ""
    names = " ".join(line["records"])
    if line["logged"]:
        return event["nr"], event["abi"], line["key"], names
    return (None, None, None, names) if names else None
