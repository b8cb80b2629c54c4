"""Events: which operations a real kernel logs, next to the recorded decisions that `match` is tested with."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from tools.laboratory import image, machine
from tools.laboratory.cpio import DIRECTORY, FILE, LINK, Member

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tools.laboratory.kernels import Kernel, Store

OPERATIONS = frozenset(
    [
        "open_r",
        "open_shadow",
        "open_miss",
        "open_link",
        "open_dlink",
        "open_hard",
        "open_w",
        "open_rdwr",
        "open_trunc",
        "open_secret",
        "open_creat_old",
        "open2",
        "openat2",
        "chmod",
        "fchmodat",
        "fchmod",
        "ftruncate",
        "write",
        "read",
        "chown",
        "fchownat",
        "lchown",
        "truncate",
        "access",
        "faccessat",
        "stat",
        "readlink",
        "exec_noexec",
        "exec_miss",
        "kill0",
        "setresuid",
        "ptrace",
        "delete_module",
        "chdir_rel",
        "dirfd",
        "getppid",
    ]
)
"""What the guest performs (guest/operations.h): operations that leave the file tree as it was."""
QUICK_SETS = 12
_UNPORTABLE = re.compile(r"-F ?(a[0-3]|inode|pid)\b|-S \S*\b(fork|clone)")
"""Tests of addresses, inode and process numbers: they differ from boot to boot."""

Logged = tuple[int, int, bool, int, str]
"""A logged system call: number, ABI (64 or 32), success, exit value, key (empty without one)."""
Result = tuple[str, str, tuple[Logged, ...]]
"""Actor, operation, and what was logged of it."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A rule set with what was logged: a list of (actor, operation, logged calls) in the order performed."""

    name: str
    rules: tuple[str, ...]
    results: tuple[Result, ...]


def tree() -> list[Member]:
    """The file tree /t; the hard link /t/tmp/hard is made by the guest."""
    folders = ["t", "t/etc", "t/etc/conf.d", "t/home", "t/bin", "t/mnt"]
    members = [Member(folder, DIRECTORY | 0o755) for folder in folders]
    members += [
        Member("t/tmp", DIRECTORY | 0o777),
        Member("t/home/u1", DIRECTORY | 0o755, owner=(1000, 1000)),
        Member("t/home/u2", DIRECTORY | 0o750, owner=(1001, 1001)),
        Member("t/tmp/edir", DIRECTORY | 0o755, owner=(1000, 1000)),
        Member("t/link", LINK | 0o777, b"etc/passwd"),
        Member("t/dlink", LINK | 0o777, b"etc"),
        Member("t/sock", FILE | 0o666),
        Member("t/etc/conf.d/b.conf", FILE | 0o640, b"conf\n", owner=(0, 10)),
    ]
    files = {
        "etc/passwd": 0o644,
        "etc/shadow": 0o600,
        "etc/conf.d/a.conf": 0o644,
        "bin/tool": 0o755,
        "bin/tool2": 0o755,
    }
    members += [Member(f"t/{name}", FILE | mode, b"content\n") for name, mode in files.items()]
    own = {"home/u1/note": 0o640, "home/u1/data": 0o666, "home/u1/gone": 0o644, "home/u1/a": 0o644}
    own |= {"tmp/victim": 0o666, "tmp/from": 0o644}
    members += [Member(f"t/{name}", FILE | mode, b"content\n", owner=(1000, 1000)) for name, mode in own.items()]
    members.append(Member("t/home/u2/secret", FILE | 0o600, b"content\n", owner=(1001, 1001)))
    return members


def recorded(path: Path, line: str) -> list[RuleSet]:
    """The rule sets of a decisions file that the guest can repeat: JSON lines of one kernel, or the tests' sample.

    Left out are tests of numbers that differ from boot to boot, and events without a SYSCALL record.
    """
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            sets = json.loads(gzip.decompress(data))[line]["sets"]
        else:
            sets = [json.loads(text) for text in data.decode().splitlines()]
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{path}: no decisions of kernel {line}: {error}") from None
    chosen = []
    for entry in sets:
        if any(_UNPORTABLE.search(rule) for rule in entry["rules"]):
            continue
        results = tuple(
            (result["actor"], result["op"], tuple(_logged(event) for event in result["logged"]))
            for result in entry["results"]
            if result["op"] in OPERATIONS and all("syscall" in event for event in result["logged"])
        )
        if results:
            chosen.append(RuleSet(entry["id"], tuple(entry["rules"]), results))
    return chosen


def _logged(event: Mapping[str, Any]) -> Logged:
    return event["syscall"], event["abi"], bool(event["success"]), event["exit"], event.get("key") or ""


def perform(
    sets: Sequence[RuleSet], kernel: Kernel, store: Store
) -> dict[str, list[tuple[str, str, tuple[Logged, ...]]]]:
    """What the kernel logs for the operations of the sets, by set; rules are loaded by auditctl 3.0.9."""
    loader = "auditctl-3.0.9"
    files = {}
    plan = []
    for rule_set in sets:
        files[f"rules/{rule_set.name}"] = "\n".join(rule_set.rules) + "\n"
        files[f"events/{rule_set.name}"] = "".join(f"{actor} {op}\n" for actor, op, _ in rule_set.results)
        plan += [
            f"scenario {rule_set.name} {loader}",
            f"rules {loader} /rules/{rule_set.name}",
            f"events /events/{rule_set.name}",
        ]
    files["plan"] = "\n".join(plan) + "\n"
    programs = image.compiled(kernel.machine, ("init",))
    initramfs = image.build(programs, {loader: store.auditctl("3.0.9", kernel.machine)}, files, tree())
    lines = machine.boot(kernel, initramfs, f"audit=1 {machine.PLAIN}", 240 + 60 * len(sets))
    return readings(lines)


def readings(lines: Iterable[str]) -> dict[str, list[Result]]:
    """The events in the output of a guest, by rule set, in the order of the operations."""
    out: dict[str, list[Result]] = {}
    name = ""
    for line in lines:
        match line.split():
            case ["scenario", word]:
                name = word
                out[name] = []
            case ["op", actor, operation] if name:
                out[name].append((actor, operation, ()))
            case ["event", number, abi, success, result, key] if name and out[name]:
                actor, operation, before = out[name][-1]
                word = "" if key == "(null)" else key.strip('"')
                call = (int(number), int(abi), success == "yes", int(result), word)
                out[name][-1] = (actor, operation, (*before, call))
    return out


def report(sets: Sequence[RuleSet], here: Mapping[str, Sequence[Result]]) -> tuple[str, int]:
    """What differs, one line each, with a summary at the end; and the number of operations that differ."""
    out = []
    total = events = differing = 0
    for rule_set in sets:
        performed = here.get(rule_set.name, ())
        if len(performed) != len(rule_set.results):
            raise UserError(
                f"{rule_set.name}: the guest performed {len(performed)} of {len(rule_set.results)} operations"
            )
        for (actor, operation, logged), (*_, expected) in zip(performed, rule_set.results, strict=True):
            total += 1
            events += len(logged)
            if logged != expected:
                differing += 1
                out.append(f"{rule_set.name} {actor} {operation}: logged {_text(logged)}, expected {_text(expected)}")
    out.append(f"{len(sets)} rule sets, {total} operations, {events} events; {differing} operations differ")
    return "\n".join(out), differing


def _text(logged: Sequence[Logged]) -> str:
    return ", ".join(f"{number}={result} {key or '-'}" for number, _, _, result, key in logged) or "nothing"
