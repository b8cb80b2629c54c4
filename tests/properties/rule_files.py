"""Rule files for properties: every list, kind of rule, field and operator that auditctl takes, over the small file tree
of tests/kernel/worlds.py; and what such a file decides by the brute evaluator, which shares no code with the product.

`rule_files()` makes files in which every line loads, and many rules are near others: equal but for a condition, a key
or an action. That is where fixes, shadows and duplicates are.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from auditlint.auditctl.model import ALL_SYSCALLS, Rule
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.load.program import Program, load_file
from tests.kernel import worlds
from tests.kernel.brute import Kernel

TARGETS = (Target("6.1", "x86_64", "3.0.9"), Target("6.12", "x86_64", "4.2"), Target("6.1", "x86_64", "3.1.5"))
FACTS = (worlds.FACTS, UNKNOWN)

NUMBERS = ("0", "1", "2", "10", "100", "1000", "1001")
ORDER = ("=", "!=", "<", "<=", ">", ">=")
EXISTS = [path for path in (*worlds.TREE, *worlds.MISSING) if path != "/"]
PAIRS = ("uid euid", "uid auid", "auid euid", "euid suid", "gid egid", "uid obj_uid", "auid obj_uid", "gid obj_gid")
CALLS = (
    *("open", "openat", "execve", "execveat", "chmod", "unlink", "unlinkat", "rename", "link", "mkdir", "rmdir"),
    *("kill", "ptrace", "openat2", "exit_group", "setxattr", "ftruncate"),
    *("all", "open,openat", "2", "5", "59", "11", "87,263", "82,84,86,264", "437,2"),
)


def _all(*parts: object) -> st.SearchStrategy[str]:
    return st.tuples(*(part if isinstance(part, st.SearchStrategy) else st.just(part) for part in parts)).map("".join)


def _of(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words)


TASK = (
    _all(_of("uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid"), _of(*ORDER), _of(*NUMBERS)),
    _all("auid", _of(*ORDER), _of("0", "1000", "2000")),
    _all("auid", _of("=", "!="), _of("unset", "-1", "4294967295")),
    _of("auid>=1000 -F auid!=unset"),
    _all(_of("uid", "gid", "pid", "ppid"), ">=0"),
    _all(_of("pid", "ppid"), _of(*ORDER), _of("1", "2", "77", "78")),
    _all("pers", _of(*ORDER, "&", "&="), _of("0", "8", "12")),
    _all("sessionid", _of(*ORDER), _of("3", "4", "unset")),
)
CALL = (
    _all(_of("a0", "a1", "a2", "a3"), _of(*ORDER, "&", "&="), _of("0", "1", "2", "3", "5", "64")),
    _all("success", _of("=", "!="), _of("0", "1", "2", "yes")),
    _all("success", _of("<", ">", "<=", ">="), _of("0", "1")),
    _all("exit", _of(*ORDER), _of("0", "3", "-EACCES", "-EPERM", "-2", "13")),
    _all("exe", _of("=", "!="), _of("/x/prog", "/x/other", "/d/f", "/link", "/x/none")),
    _all("saddr_fam", _of(*ORDER), _of("1", "2", "10")),
)
FILES = (
    _all(_of("obj_uid", "obj_gid"), _of(*ORDER), _of("0", "10", "1000")),
    _all(_of("devmajor", "devminor"), _of(*ORDER), _of("0", "2", "5")),
    _all("filetype", _of("=", "!="), _of("file", "dir", "link", "character")),
    _all("inode!=", _of("35", "99")),
    _all("perm=", _of("r", "w", "x", "a", "wa", "rwxa")),
    _all("subj_user", _of("=", "!="), "root_u"),
)
PLACES = (
    _all("path=", _of(*EXISTS, "/dlink/f", "/dlink/new")),
    _all("dir=", _of(*worlds.DIRECTORIES, "/dlink", "/dlink/")),
    _all("inode=", _of("35", "36", "5", "99")),
)
RECORDS = (
    _all("msgtype", _of("=", "!=", "<", ">", ">="), _of("SYSCALL", "PATH", "CWD", "EOE", "PROCTITLE", "CONFIG_CHANGE")),
    _all(_of("uid", "gid", "auid", "pid"), _of(*ORDER), _of("0", "10", "1000", "77")),
    _all("exe", _of("=", "!="), _of("/x/prog", "/x/other")),
    _of("uid>=0", "auid=unset", "euid=0", "subj_user=root_u"),
)
MESSAGES = (
    _all("msgtype", _of("=", "!=", ">", "<"), _of("USER_LOGIN", "USER_AUTH", "USER_CMD")),
    _all(_of("uid", "gid", "auid", "pid"), _of(*ORDER), _of("0", "10", "1000", "77")),
    _of("uid>=0", "auid=unset", "euid=0", "a0=1"),
)
KEY = st.none() | _of("k1", "k2", "k3", "k4")


@st.composite
def exit_rule(draw: st.DrawFn, uring: bool = False) -> list[str]:
    """The words of a rule of the exit or io_uring list."""
    words = [
        f"{draw(_of('-a', '-a', '-a', '-A'))} {draw(_of('always,exit', 'always,exit', 'never,exit', 'exit,always'))}"
    ]
    fields = list(draw(st.lists(st.one_of(*TASK, *CALL, *(() if uring else FILES)), max_size=4)))
    if not uring and draw(st.integers(0, 2)) == 0:
        fields.insert(draw(st.integers(0, len(fields))), draw(st.one_of(*PLACES)))
    if uring:
        words = [words[0].replace("exit", "io_uring"), f"-S {draw(_of('openat', 'openat,unlinkat', 'all', 'sendmsg'))}"]
    else:
        arch = draw(st.none() | _of("arch=b64", "arch=b64", "arch=b32", "arch!=b32", "arch!=b64", "arch=x86_64"))
        words += [f"-F {arch}"] if arch else []
        words += [f"-S {call}" for call in draw(st.lists(_of(*CALLS), min_size=0, max_size=2))]
    words += [f"-F {field}" for field in fields]
    if draw(st.integers(0, 3)) == 0:
        left, right = draw(_of(*(PAIRS[:5] if uring else PAIRS))).split()
        words.append(f"-C {left}{draw(_of('=', '!='))}{right}")
    key = draw(KEY)
    return words + ([] if key is None else [draw(_of("-k ", "-F key=")) + key])


@st.composite
def simple_rule(draw: st.DrawFn) -> list[str]:
    """The words of a rule of one of the other lists."""
    name = draw(_of("task", "exclude", "exclude", "user", "filesystem"))
    words = [f"{draw(_of('-a', '-a', '-A'))} {draw(_of('always', 'never'))},{name}"]
    if name == "filesystem":
        fields = draw(st.lists(_all("fstype", _of("=", "!="), _of("0x01021994", "tracefs", "0xEF53")), max_size=2))
    else:
        kinds = {"task": (*TASK, _of("a0=1", "arch=b64", "exe=/x/prog")), "exclude": RECORDS, "user": MESSAGES}[name]
        fields = draw(st.lists(st.one_of(*kinds), max_size=3))
    return words + [f"-F {field}" for field in fields]


@st.composite
def watch(draw: st.DrawFn) -> list[str]:
    words = [f"-w {draw(_of(*EXISTS))}", f"-p {draw(_of('r', 'wa', 'x', 'w', 'rwxa'))}"]
    key = draw(KEY)
    return words + ([] if key is None else [f"-k {key}"])


RULE = st.one_of(exit_rule(), exit_rule(), exit_rule(), simple_rule(), watch(), exit_rule(uring=True))


@st.composite
def near(draw: st.DrawFn, words: list[str]) -> list[str]:
    """A rule that differs little: a condition more, less or twice, other calls, the other ABI, another key, another
    action, in front."""
    words = list(words)
    kind = draw(st.integers(0, 9))
    at = draw(st.integers(0, len(words) - 1))
    if kind <= 1 and at:
        del words[at]
    elif kind == 2 and at:
        words.insert(at, words[at])
    elif kind == 3:
        words[-1:] = [words[-1]] if not words[-1].startswith("-k") else ["-k other"]
    elif kind == 4:
        swap = {"always": "never", "never": "always"}
        old = next((word for word in swap if word in words[0]), "")
        words[0] = words[0].replace(old, swap[old]) if old else words[0]
    elif kind == 5:
        words[0] = words[0].replace("-a ", "-A ")
    elif kind in (6, 7):
        calls = [number for number, word in enumerate(words) if word.startswith("-S ")]
        if calls:
            words[draw(st.sampled_from(calls))] = f"-S {draw(_of(*CALLS[:12]))}"
    elif kind == 8:
        other = {"-F arch=b64": "-F arch=b32", "-F arch=b32": "-F arch=b64"}
        words = [other.get(word, word) for word in words]
    else:
        more = draw(st.one_of(*TASK[:3]))
        key = len(words) - words[-1].startswith(("-k", "-F key"))
        words.insert(key, f"-F {more}")
    return words


@st.composite
def rule_files(draw: st.DrawFn) -> tuple[bytes, Target, Facts]:
    """The bytes of a file whose lines all load, for a target."""
    target, facts = draw(st.sampled_from(TARGETS)), draw(st.sampled_from(FACTS))
    rules = draw(st.lists(RULE, min_size=1, max_size=5))
    for _ in range(draw(st.integers(0, 3))):
        made = draw(near(draw(st.sampled_from(rules))))
        rules.insert(draw(st.integers(0, len(rules))), made)
    lines = [" ".join(words) for words in rules]
    return loading(lines, target, facts), target, facts


def loading(lines: list[str], target: Target, facts: Facts) -> bytes:
    """The lines without those that are refused."""
    program = load(("-c\n" + "\n".join(lines) + "\n").encode(), target, facts)
    good = [entry.line.number - 2 for entry in program.entries if entry.verdict == "rule"]
    return "".join(lines[at] + "\n" for at in good).encode()


def load(data: bytes, target: Target, facts: Facts) -> Program:
    return load_file(Source("a.rules", data), target, facts)


# -- what a file decides


@lru_cache(maxsize=256)
def _bits(mask: int) -> frozenset[int]:
    if mask == ALL_SYSCALLS:
        return frozenset(range(2048))
    return frozenset(bit for bit in range(2048) if mask >> bit & 1)


def plain(rule: Rule) -> dict[str, Any]:
    """A rule as the brute evaluator takes it."""
    fields = [(each.name, each.op, each.value) for each in rule.fields]
    return {
        "list": rule.list,
        "action": rule.action,
        "mask": _bits(rule.mask),
        "fields": fields,
        "prepend": rule.prepend,
    }


MESSAGE_TYPES = (1112, 1100, 1123)
OPERATIONS = (9, 18, 36)
"""sendmsg, openat and unlinkat in io_uring."""


def decisions(rules: list[Rule], event: dict[str, Any], target: Target) -> tuple[object, ...]:
    """What the rules do with a system call, with messages of a program and with io_uring operations of such a task.

    Which rule decides does not count. A call during which the kernel drops rules is left out (None).
    """
    line = tuple(map(int, target.kernel.split(".")))
    kernels = [Kernel([plain(rule) for rule in rules], worlds.WORLD, line) for _ in range(2)]
    logged, key, _, records = kernels[0].run(event)
    call = None if dropped(kernels[0], kernels[1]) else (logged, key, records)
    other = kernels[1]
    return (
        call,
        tuple(other.message(event, kind) for kind in MESSAGE_TYPES),
        tuple(other.operation(event, number) for number in OPERATIONS),
    )


def dropped(after: Kernel, before: Kernel) -> bool:
    """Whether a call made rules go: the kernel writes about that itself."""
    return sum(map(len, (*after.lists.values(), *after.hash))) < sum(map(len, (*before.lists.values(), *before.hash)))


@lru_cache(maxsize=4)
def events(seed: int, count: int) -> tuple[dict[str, Any], ...]:
    random = Random(seed)
    return tuple(worlds.event(random) for _ in range(count))


def assert_same(before: list[Rule], after: list[Rule], target: Target, seed: int, count: int = 40) -> None:
    """Both rule sets decide the same, with the same keys and records, for so many random events."""
    if before == after:
        return
    for event in events(seed, count):
        one, two = decisions(before, event, target), decisions(after, event, target)
        calls = (one[0], two[0])
        assert one[1:] == two[1:], event
        assert None in calls or calls[0] == calls[1], event
