"""Names and numbers: machines, system calls, error numbers, record types, per release of auditctl.

Every function reads its table on first use and keeps it; what it returns is shared and must not be changed.
`release` is an auditctl release such as `"3.0.9"`. Names are keyed in the case of the table; auditctl compares
with ASCII case folded, see `fold`.
"""

from __future__ import annotations

import re
from functools import cache

from auditlint.auditctl.field_table import field_facts
from auditlint.core.data import read_text, rows
from auditlint.core.frozen import dataclass
from auditlint.core.target import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.auditctl.model import ProblemKind

ALWAYS = (0,)


def since(text: str) -> tuple[int, ...]:
    """A cell of a since column: a release, `0` or `<=2.7.4` for always, `HEAD` for what 4.2 stands for."""
    if text == "HEAD":
        return (4, 2)
    return ALWAYS if text.startswith("<=") else version(text)


def within(first: str, until: str, release: tuple[int, ...]) -> bool:
    """Whether a release lies in [first, until); `-` and an empty cell leave the end open."""
    return since(first) <= release and (until in ("", "-") or release < version(until))


def fold(text: str) -> str:
    """Lower case of the ASCII letters only, as the lookup tables of libaudit do it."""
    return text.lower() if text.isascii() else "".join(c.lower() if c < "\x80" else c for c in text)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that auditctl knows; the columns of rulesets/machines.tsv."""

    name: str
    aliases: tuple[tuple[str, tuple[int, ...]], ...]
    elf: int
    bits: int
    big_endian: bool
    b64: str
    b32: str
    calls: str
    kernel_calls: str
    narrow: str
    signed_char: bool
    errno: str
    since: tuple[int, ...]
    until: tuple[int, ...] | None
    own_build: bool

    def known_to(self, release: str) -> bool:
        """Whether that auditctl has the machine (built with every optional one)."""
        number = version(release)
        return self.since <= number and (self.until is None or number < self.until)


@cache
def machines() -> Mapping[str, Machine]:
    """All machines by name."""
    found = {}
    for row in rows("machines.tsv"):
        name, aliases, elf, bits, endian, b64, b32, calls, kernel, narrow, char, errno, first, until, build = row
        pairs = []
        for alias in aliases.split() if aliases != "-" else ():
            word, _, start = alias.partition(":")
            pairs.append((word, since(start or "0")))
        found[name] = Machine(
            name=name,
            aliases=tuple(pairs),
            elf=int(elf, 16),
            bits=int(bits),
            big_endian=endian == "be",
            b64=b64,
            b32=b32,
            calls=calls,
            kernel_calls=kernel,
            narrow=narrow,
            signed_char=char == "signed",
            errno=errno,
            since=since(first),
            until=None if until == "-" else version(until),
            own_build=build == "own",
        )
    return found


@cache
def machine_names(release: str) -> Mapping[str, Machine]:
    """Machines by every name and alias that an auditctl release knows."""
    number = version(release)
    found = {}
    for machine in machines().values():
        if machine.known_to(release):
            found[machine.name] = machine
            for alias, first in machine.aliases:
                if first <= number:
                    found[alias] = machine
    return found


def native_machine(machine: str, release: str) -> Machine | None:
    """What auditctl takes for its own machine when `uname -m` says `machine`; None for one it has no table for."""
    return machine_names(release).get(fold(machine))


def machine_of_elf(elf: int, release: str) -> Machine | None:
    """The machine of an ELF value, or None."""
    for machine in machines().values():
        if machine.elf == elf and machine.known_to(release):
            return machine
    return None


@cache
def arch_values() -> Mapping[int, str]:
    """Names of all ELF values, also of the machines that only the kernel knows."""
    found = {int(row[1], 16): row[0] for row in rows("machines-kernel-only.tsv")}
    found.update((machine.elf, machine.name) for machine in machines().values())
    return found


def _numbers(table: str) -> dict[str, int]:
    """Numbers by name. A rule set needs half a dozen of such tables, hundreds of rows each."""
    cells = re.findall(r"^([^#\t\n]+)\t(\d+)", read_text("rulesets/" + table), re.MULTILINE)
    return {name: int(number) for name, number in cells}


@cache
def calls(machine: str, release: str) -> Mapping[str, int]:
    """System call numbers by name, as an auditctl release knows them for a machine of `machines()`."""
    table = machines()[machine].calls
    found = _numbers(f"syscalls/{table}.tsv")
    number = version(release)
    if machines()[machine].until is None and number < since("HEAD"):
        for name, first in _since_userspace().get(table, {}).items():
            if since(first) > number:
                found.pop(name, None)
    return found


@cache
def call_names(machine: str, release: str) -> Mapping[int, str]:
    """System call names by number for a machine; the first name of the table where it has several."""
    found: dict[int, str] = {}
    for name, number in calls(machine, release).items():
        found.setdefault(number, name)
    return found


@cache
def _since_userspace() -> Mapping[str, Mapping[str, str]]:
    """First release of auditctl by table and system call."""
    found: dict[str, dict[str, str]] = {}
    for table, name, first in rows("syscalls/since-userspace.tsv"):
        found.setdefault(table, {})[name] = first
    return found


@cache
def kernel_calls(machine: str) -> Mapping[str, int]:
    """System call numbers of the kernel (Linux 6.12; ia64 6.1) for a machine, or for a table of syscalls/kernel/."""
    known = machines().get(machine)
    return _numbers(f"syscalls/kernel/{known.kernel_calls if known else machine}.tsv")


@cache
def kernel_call_names(machine: str) -> Mapping[int, str]:
    """System call names of the kernel by number."""
    found: dict[int, str] = {}
    for name, number in kernel_calls(machine).items():
        found.setdefault(number, name)
    return found


@cache
def kernel_spelling(machine: str) -> Mapping[str, str]:
    """Kernel names that auditctl spells differently, to its spelling (`pread64` to `pread`)."""
    known = machines()[machine]
    names = call_names(machine, "4.2")
    ours = calls(machine, "4.2")
    return {
        name: names[number] for name, number in kernel_calls(known.name).items() if name not in ours and number in names
    }


@cache
def all_calls() -> frozenset[str]:
    """The system calls of every machine, in the spelling of auditctl and in that of the kernel."""
    found: set[str] = set()
    known = machines().values()
    for table in {each.calls for each in known} | {f"kernel/{each.kernel_calls}" for each in known}:
        found.update(_numbers(f"syscalls/{table}.tsv"))
    return frozenset(found)


@cache
def call_since_kernel() -> Mapping[str, str]:
    """Kernel release in which a system call appeared; older than 2.6.16 when missing."""
    return {row[0]: row[1] for row in rows("syscalls/since-kernel.tsv")}


@cache
def call_removed_kernel() -> Mapping[str, str]:
    """System calls that kernels no longer implement, with the release in words."""
    return {row[0]: row[1] for row in rows("syscalls/removed-kernel.tsv")}


@cache
def io_uring_operations(release: str) -> Mapping[str, int]:
    """Numbers of the io_uring operations that an auditctl release knows by name (`until` is the last that does)."""
    number = version(release)
    found = {}
    for row in rows("syscalls/io_uring_ops.tsv"):
        last = row[3] if len(row) > 3 else ""
        if since(row[2]) <= number and (not last or number <= version(last)):
            found[row[0]] = int(row[1])
    return found


@cache
def error_numbers(column: str = "generic") -> Mapping[str, int]:
    """Error numbers by upper case name; `column` is Machine.errno."""
    names = ("name", "generic", "alpha", "mips", "parisc", "sparc", "powerpc")
    at = names.index(column)
    found = {}
    for row in rows("errno.tsv"):
        cell = row[at] if len(row) > at else ""
        number = cell or row[1]
        if number:
            found[row[0]] = int(number)
    return found


@cache
def record_types(release: str) -> Mapping[str, int]:
    """Record type numbers by upper case name, with those of optional builds."""
    number = version(release)
    return {row[0]: int(row[1]) for row in rows("msgtypes.tsv") if since(row[4]) <= number}


@cache
def record_names() -> Mapping[int, str]:
    """Record type names by number, those of every release."""
    return {int(row[1]): row[0] for row in rows("msgtypes.tsv")}


@cache
def file_types() -> Mapping[str, int]:
    """Values of `filetype` by name."""
    return {row[0]: int(row[2]) for row in rows("filetypes.tsv")}


@cache
def filesystem_types(release: str) -> Mapping[str, int]:
    """Values of `fstype` that an auditctl release knows by name."""
    number = version(release)
    return {row[0]: int(row[1], 16) for row in rows("fstypes.tsv") if row[2] == "yes" and since(row[3]) <= number}


@cache
def filesystem_magics() -> Mapping[str, int]:
    """Superblock magic numbers by name, also those that auditctl takes only as numbers."""
    return {row[0]: int(row[1], 16) for row in rows("fstypes.tsv")}


@cache
def address_families() -> Mapping[str, int]:
    """Socket address families by name; `max` is the first number that auditctl refuses."""
    return {row[1]: int(row[0]) for row in rows("saddr-families.tsv")}


@cache
def comparisons() -> Mapping[tuple[str, str], int]:
    """Numbers of the legal -C pairs, both orders."""
    found = {}
    for row in rows("comparisons.tsv"):
        found[row[1], row[2]] = found[row[2], row[1]] = int(row[0])
    return found


@cache
def comparison_pairs() -> Mapping[int, tuple[str, str, bool]]:
    """The two fields of a -C pair and whether every path object is compared, by number."""
    return {int(row[0]): (row[1], row[2], row[3] == "yes") for row in rows("comparisons.tsv")}


@cache
def perm_calls(release: str) -> Mapping[str, tuple[str, ...]]:
    """System call names that `-F perm` adds for each of the letters r, w, x and a (nothing before 3.1.3)."""
    number = version(release)
    found: dict[str, tuple[str, ...]] = {"r": (), "w": (), "x": (), "a": ()}
    for letter, call, first in rows("perm-masks-since.tsv"):
        if since(first) <= number:
            found[letter] += (call,)
    return found


@cache
def signals(release: str) -> Mapping[str, int]:
    """Signal numbers by the folded words of --signal."""
    number = version(release)
    return {fold(row[0]): int(row[1]) for row in rows("signals.tsv") if since(row[2]) <= number}


@cache
def usual_directories() -> frozenset[str]:
    """Paths that are directories on nearly every host."""
    return frozenset(row[0] for row in rows("directories.tsv"))


@cache
def likely_links() -> Mapping[str, str]:
    """Paths that are symbolic links on most hosts of today, and where they lead, in words."""
    return {row[0]: row[1] for row in rows("likely-links.tsv")}


@cache
def early_in_run() -> frozenset[str]:
    """Names in /run that are there before the rules are loaded."""
    return frozenset(row[0] for row in rows("early-run.tsv"))


@cache
def usual_links() -> frozenset[str]:
    """Paths that are symbolic links on many hosts and directories on others."""
    return frozenset(row[0] for row in rows("usual-links.tsv"))


@cache
def switches(release: str) -> frozenset[str]:
    """What an auditctl release does that others do not: the switches of rulesets/behaviour.tsv that are on."""
    number = version(release)
    return frozenset(row[0] for row in rows("behaviour.tsv") if within(row[1], row[2], number))


@cache
def options(release: str) -> Mapping[str, tuple[bool, str]]:
    """Options of a release: whether they take an argument, and their token in the grammar."""
    number = version(release)
    return {row[0]: (row[1] == "yes", row[2]) for row in rows("options.tsv") if within(row[3], row[4], number)}


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """How auditctl checks a field, for one release; the columns of rulesets/fields.tsv.

    `lists` is None where every list is taken; `operators` likewise. `on_exclude` is what the narrow test of
    releases before 3.1 says.
    """

    name: str
    number: int
    kind: str
    signed: bool
    lists: frozenset[str] | None
    refusal: ProblemKind
    on_exclude: bool
    operators: frozenset[str] | None


def _cell(text: str, number: tuple[int, ...]) -> frozenset[str] | None:
    if text == "*":
        return None
    pairs = (word.rpartition(":") for word in text.split())
    return frozenset(name for name, _, first in pairs if since(first) <= number)


@cache
def fields(release: str) -> Mapping[str, FieldInfo]:
    """Fields by name and alias, as a release of auditctl knows them."""
    number = version(release)
    known = {}
    for facts in field_facts().values():
        if facts.since != "-" and since(facts.since) <= number:
            info = FieldInfo(
                name=facts.name,
                number=facts.number,
                kind=facts.kind,
                signed=facts.wrap == "signed",
                lists=_cell(facts.lists, number),
                refusal=facts.refusal,
                on_exclude=facts.exclude != "-" and since(facts.exclude) <= number,
                operators=_cell(facts.operators, number),
            )
            for word in (facts.name, *facts.aliases):
                known[word] = info
    return known


@cache
def field_numbers() -> Mapping[str, int]:
    """Field numbers of the kernel by name."""
    return {facts.name: facts.number for facts in field_facts().values()}
