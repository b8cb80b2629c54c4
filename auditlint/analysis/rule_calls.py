"""The ABIs and system calls that a rule speaks of, by the tables of the kernel."""

from __future__ import annotations

from functools import cache, lru_cache

from auditlint.auditctl import tables
from auditlint.core.data import rows
from auditlint.core.target import DEFAULT_AUDITCTL
from auditlint.kernel.abis import abis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.auditctl.tables import Machine
    from auditlint.core.target import Target

MOST_CALLS = 64
"""A mask with more calls than this is taken for a wide one, whose calls nobody chose one by one."""


@lru_cache(maxsize=16)
def machines_of(target: Target) -> tuple[Machine, ...]:
    """The ABIs of the target's kernel: its own, then the others that auditctl knows.

    None for a machine that auditctl does not know."""
    if tables.native_machine(target.machine, target.auditctl) is None:
        return ()
    return tuple(abi.machine for abi in abis(target) if abi.machine is not None)


def abis_of_rule(rule: Rule, target: Target) -> tuple[Machine, ...]:
    """The ABIs whose calls a rule of the exit list sees."""
    found = machines_of(target)
    for field in rule.fields:
        if field.name == "arch":
            found = tuple(machine for machine in found if (machine.elf == field.value) is (field.op == "="))
    return found


def numbers(mask: int) -> Iterator[int]:
    """The system call numbers of a mask, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@cache
def mask_of(machine: str, names: Iterable[str]) -> int:
    """The numbers of these calls (a hashable collection) on a machine; auditctl knows some that are newer than our
    kernel table."""
    known = {**tables.calls(machine, DEFAULT_AUDITCTL), **tables.kernel_calls(machine)}
    mask = 0
    for name in names:
        if name in known:
            mask |= 1 << known[name]
    return mask


@cache
def pathless(machine: str) -> int:
    """The calls that collect no path object, as a mask."""
    return mask_of(machine, tuple(row[0] for row in rows("syscalls/pathless.tsv")))


@cache
def small_results(machine: str) -> int:
    """The calls of which no success looks like an error, as a mask."""
    return mask_of(machine, tuple(row[0] for row in rows("syscalls/small-results.tsv")))


@cache
def arguments(machine: str) -> Mapping[str, str]:
    """The kinds of the first four arguments by name of the call: see rulesets/syscalls/arguments.tsv."""
    found = {}
    for call, letters, machines in rows("syscalls/arguments.tsv"):
        if machine in machines.split(",") or (machines == "*" and call not in found):
            found[call] = letters
    return found


def named(entry: Entry, rule: Rule) -> int:
    """The calls that the line names with -S; not those that `perm` adds."""
    if rule.get("perm") is None:
        return rule.mask
    mask = 0
    for _, _, found in entry.line.syscall_words:
        for number in found:
            mask |= 1 << number
    return mask
