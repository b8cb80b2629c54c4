"""What a program does, from a summary of its system calls: read, priced, and shared out among the rules."""

from __future__ import annotations

import re

from auditlint.auditctl import tables
from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass, replace
from auditlint.cost.breakdown import CostBreakdown
from auditlint.cost.operations import outcome, task_event
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.event import ANY, U32, Outcome, PathObject, Range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditlint.core.source import Source
    from auditlint.core.target import Target
    from auditlint.cost.advice import WorkCalls
    from auditlint.cost.price import Pricing
    from auditlint.kernel.event import Event, Number, Tristate
    from auditlint.kernel.storage import Stored

_EAGAIN, _ENOENT = -11, -2
_FILE = "/data/plain"
_OBJECTS = {
    "file": (_FILE, "NORMAL", 0o100644),
    "program": ("/bench", "NORMAL", 0o100755),
    "parent": ("/data", "PARENT", 0o040755),
    "create": ("/data/new", "CREATE", 0o100644),
    "delete": ("/data/old", "DELETE", 0o100644),
    "missing": ("/data/missing", "UNKNOWN", None),
}
_SPELLINGS = {"newstat": "stat", "newfstat": "fstat", "newlstat": "lstat", "newuname": "uname"}
"""Names of the kernel's entry points as older perf prints them."""
_READ_ONLY = 0
_ERRORS = Range(-4095 & U32, -1 & U32)
"""Any error (MAX_ERRNO, include/linux/err.h)."""
_VALUES = Range(0, U32 >> 1)
"""What a call may return that does not return an address."""
_EXEC_RECORDS = ("SYSCALL", "EXECVE", "CWD")
_TELLING = frozenset(("exit", "a0", "a1", "a2", "a3", "perm", "saddr_fam"))
"""Fields that ask for what a summary does not tell: return values, arguments, the mode of an open, addresses."""
ASSUMED = (
    "a summary has no arguments, paths and error numbers: an open is taken to read an existing file, a name to have "
    "two components and to be none that a rule names, an error to be ENOENT (EAGAIN without a path); the bounds hold "
    "the other cases, but for files that rules name"
)
"""What a reader of a priced workload has to know (docs/cost-model.md tells the rest)."""
_MOST_DIGITS = 19
_LONGEST_NAME = 60
_ADDRESS = 1048576
"""What stands in `syscalls.tsv` for an address that is returned."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One system call of a workload: how often it is made, how many of these fail. `bits` is 32 for the
    compat ABI."""

    name: str
    calls: int
    errors: int
    line: int
    bits: int = 64


@dataclass(frozen=True, slots=True)
class SyscallCost:
    """What a system call of a workload adds, in instructions: `each` per call, `total` for all of them."""

    name: str
    calls: int
    errors: int
    each: float
    total: float
    low: float
    high: float | None
    logged: Tristate
    not_known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkloadCost:
    """The overhead of a whole workload; `rules` gives the share of each rule, `fixed` what no rule has.

    `remarks` are what a reader has to know.
    """

    calls: int
    overhead: float
    low: float
    high: float | None
    syscalls: tuple[SyscallCost, ...]
    rules: tuple[tuple[Stored, float], ...]
    fixed: float
    not_known: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def read_workload(source: Source) -> list[Entry]:
    """A summary as `strace -c` or `perf trace -s` prints it, or lines `syscall count [errors]`.

    Raises UserError, one line with the place, for anything else.
    """
    lines = source.text((0, len(source.data))).splitlines()
    found = _table(lines) if any(_is_head(line.split()) for line in lines) else _plain(source.path, lines)
    if not found:
        raise UserError(f"{source.path}: no system calls; it must be strace -c, perf trace -s or lines `syscall count`")
    return found


def _plain(path: str, lines: list[str]) -> list[Entry]:
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) not in (2, 3) or not all(map(_is_count, words[1:])):
            raise UserError(f"{path}:{number}: is neither `syscall count`, nor part of strace -c or perf trace -s")
        calls, errors = int(words[1]), int(words[2]) if len(words) == 3 else 0
        if errors > calls:
            raise UserError(f"{path}:{number}: more errors than calls")
        found.append(Entry(words[0], calls, errors, number))
    return found


def _is_count(word: str) -> bool:
    """A number that a counter can hold."""
    return word.isascii() and word.isdecimal() and len(word) < _MOST_DIGITS


def _is_head(words: list[str]) -> bool:
    return "syscall" in words and "calls" in words


def _table(lines: list[str]) -> list[Entry]:
    """The tables of strace -c (the name stands last) and perf trace -s (it stands first), among other output."""
    found = []
    columns: list[str] = []
    bits = 64
    for number, line in enumerate(lines, 1):
        words = line.split()
        mode = re.search(r"usage summary for (32|64|x32) bit mode", line)
        if mode is not None:
            bits = 32 if mode[1] == "32" else 64
        elif _is_head(words):
            columns = [word for word in words if word != "%"]
        elif not words or "total" in (words[0], words[-1]):
            columns = []
        elif columns:
            entry = _row(columns, words, number, bits)
            if entry is not None:
                found.append(entry)
    return found


def _row(columns: list[str], words: list[str], number: int, bits: int) -> Entry | None:
    """A row of a table; None for a line that is none (rules, units)."""
    first = columns[0] == "syscall"
    name, cells = (words[0], words[1:]) if first else (words[-1], words[:-1])
    names = columns[1:] if first else columns[:-1]
    if len(cells) == len(names) - 1:
        # strace leaves the cell empty when no call failed.
        names = [column for column in names if column != "errors"]
    values = dict(zip(names, cells, strict=False))
    if not _is_count(values.get("calls", "")):
        return None
    calls, errors = int(values["calls"]), values.get("errors", "0")
    return Entry(name, calls, min(int(errors), calls) if _is_count(errors) else 0, number, bits)


def price_workload(pricing: Pricing, entries: Iterable[Entry], path: str) -> WorkloadCost:
    """Price every call of a workload; lines that name one call twice (a table a thread) are put together.

    Raises UserError for a system call that the machine does not have.
    """
    assumed = {row[0]: row[1:] for row in rows("cost/syscalls.tsv")}
    shares: dict[int, float] = {}
    priced: list[SyscallCost] = []
    not_known: dict[str, None] = dict.fromkeys(pricing.unknown)
    fixed = 0.0
    remarks: tuple[str, ...] = ()
    for entry in _together(entries):
        arch, number = _number(pricing.storage.target, entry, path)
        cells = assumed.get(_name(entry.name), [])
        total = low = high = 0.0
        unknown: dict[str, None] = {}
        logged: Tristate = False
        for failed, count in ((False, entry.calls - entry.errors), (True, entry.errors)):
            if not count:
                continue
            cases = _cases(pricing, arch, number, cells, failed)
            if len(cases) > 1:
                remarks = (ASSUMED,)
            accounts = []
            answers = set()
            for event, marks in cases:
                breakdown = CostBreakdown()
                answers.add(pricing.single(breakdown, _name(entry.name), event, marks))
                accounts.append(breakdown)
            least, most = zip(*(breakdown.bounds() for breakdown in accounts), strict=True)
            answer = answers.pop() if len(answers) == 1 else None
            logged = logged or answer if answer is not False else logged
            amount = accounts[0].total()
            spread = pricing.prices.spread * max(amount, 0.0)
            for other in pricing.beside:
                for event, marks in cases:
                    breakdown = CostBreakdown()
                    other.single(breakdown, _name(entry.name), event, marks)
                    least, most = (*least, breakdown.bounds()[0]), (*most, breakdown.bounds()[1])
            total += amount * count
            low += min(min(least), accounts[0].bounds()[0] - spread) * count
            high += max(max(most), accounts[0].bounds()[1] + spread) * count
            fixed += (amount - sum(accounts[0].rules.values())) * count
            for breakdown in accounts:
                unknown.update(breakdown.not_known)
            for index, part in accounts[0].rules.items():
                shares[index] = shares.get(index, 0.0) + part * count
        each = total / entry.calls if entry.calls else 0.0
        name = entry.name if entry.bits == 64 else f"{entry.name} (32 bit)"
        bound = None if unknown or pricing.prices.foreign else round(high, 1)
        not_known.update(unknown)
        priced.append(
            SyscallCost(
                name,
                entry.calls,
                entry.errors,
                round(each, 1),
                round(total, 1),
                pricing.at_least(low),
                bound,
                logged,
                tuple(unknown),
            )
        )
    priced.sort(key=lambda cost: -cost.total)
    by_index = {stored.index: stored for stored in pricing.rules}
    rules = sorted(((by_index[index], round(amount, 1)) for index, amount in shares.items()), key=lambda pair: -pair[1])
    highs = [cost.high for cost in priced]
    return WorkloadCost(
        sum(cost.calls for cost in priced),
        round(sum(cost.total for cost in priced), 1),
        round(sum(cost.low for cost in priced), 1),
        None if None in highs else round(sum(high or 0.0 for high in highs), 1),
        tuple(priced),
        tuple(rules),
        round(fixed, 1),
        tuple(not_known),
        remarks,
    )


def work_calls(pricing: Pricing, entries: Iterable[Entry], path: str) -> list[WorkCalls]:
    """A workload as advice is priced for it: each call as it is taken to be. Raises UserError as above."""
    from auditlint.cost.advice import WorkCalls

    assumed = {row[0]: row[1:] for row in rows("cost/syscalls.tsv")}
    found = []
    for entry in _together(entries):
        arch, number = _number(pricing.storage.target, entry, path)
        cells = assumed.get(_name(entry.name), [])
        events = []
        for failed, count in ((False, entry.calls - entry.errors), (True, entry.errors)):
            if count:
                events.append((_cases(pricing, arch, number, cells, failed)[0][0], count / entry.calls))
        name = entry.name if entry.bits == 64 else f"{entry.name} (32 bit)"
        found.append(WorkCalls(name, tuple(events), entry.calls))
    return found


def _together(entries: Iterable[Entry]) -> list[Entry]:
    """Equal calls of one ABI as one entry, at the place of the first."""
    found: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        key = entry.name, entry.bits
        first = found.get(key)
        if first is not None:
            entry = replace(first, calls=first.calls + entry.calls, errors=first.errors + entry.errors)
        found[key] = entry
    return list(found.values())


def _name(name: str) -> str:
    return _SPELLINGS.get(name, name)


def _number(target: Target, entry: Entry, path: str) -> tuple[int, int]:
    """AUDIT_ARCH and number of a call. strace writes `syscall_0x1f` for numbers without name."""
    found = classes.tables(target)
    machine = target.machine
    abi = found.native
    if entry.bits == 32 and found.compat is not None:
        machine, abi = tables.machines()[machine].b32, found.compat
    names: Mapping[str, int] = tables.kernel_calls(machine)
    name = _name(entry.name)
    bare = re.fullmatch(r"syscall_(0x[0-9a-f]{1,8})", name)
    number = int(bare[1], 16) if bare else names.get(name)
    if number is None:
        number = tables.calls(machine, target.auditctl).get(name)
    if number is None:
        from difflib import get_close_matches

        short = name[:_LONGEST_NAME]
        near = get_close_matches(short, names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UserError(f"{path}:{entry.line}: {machine} has no system call {short!r}{hint}")
    return abi.elf, number


def _cases(pricing: Pricing, arch: int, number: int, cells: list[str], failed: bool) -> list[tuple[Event, str]]:
    """The call as syscalls.tsv takes it to be, with its marks, and what else it may have been.

    The first case gives the amount, all of them give the bounds.
    """
    objects, missing, value, marks, *rest = cells or ["-", "-", "0", "-"]
    others = rest[0].split("|") if rest else []
    opens = "open" in marks.split(",")
    address = "address" in marks.split(",")
    args = (ANY, _READ_ONLY, _READ_ONLY, ANY) if opens else (ANY, ANY, ANY, ANY)
    open_ended: tuple[Number, Number, Number, Number] = (ANY, ANY, ANY, ANY)
    if failed:
        # Marks are met by what succeeds; what else a call does it has often done before it fails.
        marks = ",".join(word for word in marks.split(",") if word not in ("open", "attr", "entry")) or "-"
        result = outcome(str(_ENOENT if missing != "-" else _EAGAIN))
        any_result = Outcome(True, _ERRORS, False)
        assumed, others = missing, [objects, *others]
    else:
        result = outcome("-" if value == "none" else value)
        any_result = result
        if result.returned and isinstance(result.exit, int):
            any_result = Outcome(True, ANY if result.exit == _ADDRESS else _VALUES, True)
        assumed = objects

    def event(words: str, values: tuple[Number, Number, Number, Number], outcome_of: Outcome) -> Event:
        things = tuple(map(_thing, words.split(","))) if words != "-" else ()
        made = task_event(arch, pricing.actor, number, values, outcome_of, things)
        if address:
            made = replace(made, family=ANY)
        if words.startswith("program") and not failed:
            made = replace(made, records=(*_EXEC_RECORDS, *["PATH"] * len(things), "PROCTITLE", "EOE"))
        return made

    found = [(event(assumed, args, result), marks)]
    if pricing.asked & _TELLING:
        found.append((event(assumed, open_ended, any_result), marks))
    for words in (words for words in dict.fromkeys(others) if words != assumed):
        made = event(words, open_ended, any_result)
        also = marks
        if opens and not failed and "create" in words:
            # The file is created and opened: both marks are met.
            also += ",entry"
        found.append((made, also))
    return found


def _thing(word: str) -> PathObject:
    name, kind, mode = _OBJECTS[word]
    return PathObject(name, kind, None, mode, 0, 0, None, (0, 2), (0, 0)) if mode else PathObject(name, kind)
