"""Rules that would quiet a log: one never rule for each source of noise, no wider than what the log shows of it.

A proposal names the program, and all that its events have in common: ABI, system calls, login id, user, outcome.
Programs that run scripts are no condition: exe is the interpreter (rulesets/interpreters.tsv).
"""

from __future__ import annotations

import re
from functools import lru_cache

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.logs.tally import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.logs.tally import Tally

UNSET = 4294967295
MOST_PROPOSALS = 8
_LEAST_SHARE = 0.02
"""A source with less of the log's bytes than this is no noise."""
_LEAST_EVENTS = 20
_MOST_CALLS = 40
_PLAIN_PATH = re.compile(r"/[\w./+@:-]+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule, the rule (`index`) whose events it is meant for, what it should take, and the program it is about.
    `inside` is the directory that holds an object of each event, None for none that is worth a condition."""

    rule: str
    index: int
    events: int
    bytes: int
    exe: str
    inside: str | None = None

    @property
    def variants(self) -> tuple[str, ...]:
        """The rule with its directory, if it has one, and without."""
        return (self.rule,) if self.inside is None else (f"{self.rule} -F dir={self.inside}", self.rule)


@dataclass(frozen=True, slots=True)
class Declined:
    """A source of noise for which no rule is proposed, and why."""

    index: int
    events: int
    bytes: int
    exe: str
    why: str


@lru_cache(maxsize=1)
def interpreters() -> frozenset[str]:
    """Names of programs that run others."""
    return frozenset(row[0] for row in rows("interpreters.tsv"))


def is_interpreter(exe: str) -> bool:
    """Whether a program may stand for scripts or for other programs."""
    name = exe.rpartition("/")[2]
    return name in interpreters() or re.sub(r"[-.0-9]+$", "", name) in interpreters()


def proposals(tally: Tally, abis: dict[int, str]) -> tuple[list[Proposal], list[Declined]]:
    """Candidates, the one that takes most bytes first. `abis` gives `b64` or `b32` by AUDIT_ARCH number."""
    sources: dict[tuple[int, str, int], list[tuple[Any, int, int]]] = {}
    for label, (events, size) in tally.joint.rows.items():
        slot, _, exe, _, _, _, arch, *_ = label
        if slot[0] == "rule" and exe is not None and arch is not None:
            sources.setdefault((slot[1], exe, arch), []).append((label, events, size))
    accepted: list[Proposal] = []
    declined: list[Declined] = []
    for (index, exe, arch), found in sources.items():
        events, size = sum(row[1] for row in found), sum(row[2] for row in found)
        if size < _LEAST_SHARE * tally.bytes or events < _LEAST_EVENTS:
            continue
        why = _unfit(exe, arch, abis, found)
        if why is not None:
            declined.append(Declined(index, events, size, exe, why))
        else:
            inside = _inside(tally.areas.get((("rule", index), exe, arch), ""), found)
            accepted.append(Proposal(_rule(exe, abis[arch], found), index, events, size, exe, inside))
    accepted.sort(key=lambda proposal: (-proposal.bytes, proposal.rule))
    declined.sort(key=lambda source: (-source.bytes, source.exe))
    return accepted[:MOST_PROPOSALS], declined[:MOST_PROPOSALS]


def _unfit(exe: str, arch: int, abis: dict[int, str], found: list[tuple[Any, int, int]]) -> str | None:
    if arch not in abis:
        return "its ABI has no name in a rule"
    if is_interpreter(exe):
        return "it runs other programs and scripts, which a rule cannot tell apart: exe is the interpreter"
    if not _PLAIN_PATH.fullmatch(exe):
        return "its path cannot be written in a rule"
    if len({row[0][5] for row in found}) > _MOST_CALLS:
        return "it makes too many different system calls"
    return None


def _inside(area: str, found: list[tuple[Any, int, int]]) -> str | None:
    """A directory that narrows the rule: below one of the root, and not just where the program itself lies."""
    path = area.rstrip("/")
    starts = all(row[0][5] in ("execve", "execveat") for row in found)
    if starts or path.count("/") < 2 or not _PLAIN_PATH.fullmatch(path):
        return None
    return path


def _rule(exe: str, abi: str, found: list[tuple[Any, int, int]]) -> str:
    columns = list(zip(*(row[0] for row in found), strict=True))
    calls = sorted(set(columns[5]))
    words = [f"-a never,exit -F arch={abi} -S {','.join(map(str, calls))} -F exe={exe}"]
    for name, column in (("auid", 4), ("uid", 8), ("euid", 9)):
        values = set(columns[column])
        if len(values) == 1 and None not in values:
            (value,) = values
            words.append(f"-F {name}={'unset' if value == UNSET else value}")
    outcomes = set(columns[7])
    if outcomes in ({True}, {False}):
        words.append(f"-F success={int(outcomes == {True})}")
    return " ".join(words)


def taken(table: Table) -> tuple[dict[Any, list[int]], int]:
    """What a tried rule takes from the log by slot, and of how many events it is not known."""
    lost: dict[Any, list[int]] = {}
    unknown = 0
    for label, (events, size) in table.rows.items():
        slot, (kind, value) = label
        if kind == "lost":
            row = lost.setdefault(slot, [0, 0])
            row[0] += events
            row[1] += size
        elif kind == "unknown" or value == "not known":
            unknown += events
    return lost, unknown
