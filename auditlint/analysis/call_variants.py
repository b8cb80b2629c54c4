"""System calls that do the job of one that a rule names, and that no rule records."""

from __future__ import annotations

from functools import lru_cache

from auditlint.analysis.abi_gaps import live_calls
from auditlint.analysis.deciding_rules import deciding_rules
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.refused_subjects import calls_of_refused
from auditlint.analysis.rule_calls import MOST_CALLS, machines_of, numbers, pathless
from auditlint.analysis.rule_pairs import entry_of
from auditlint.analysis.unknown_syscalls import call_lists
from auditlint.auditctl import tables
from auditlint.context.rules import at_line
from auditlint.core.data import rows
from auditlint.core.findings import Edit, Fix
from auditlint.core.frozen import dataclass
from auditlint.core.source import Location
from auditlint.kernel.coverage import ARGUMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.tables import Machine
    from auditlint.context.rules import RulesContext
    from auditlint.core.target import Target
    from auditlint.kernel.storage import Stored

    Families: TypeAlias = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


_NOT_COMPARED = ARGUMENTS | {"arch", "key"}


@dataclass(frozen=True, slots=True)
class Missing:
    """A rule on a machine, with pairs of names that it has and names that do the same and are recorded by no rule."""

    stored: Stored
    machine: Machine
    pairs: Families


def missing(context: RulesContext, table: str) -> Iterator[Missing]:
    """The rules that leave out variants in the sense of a table of rulesets/syscalls/. A call that several rules with
    the same conditions leave out counts for the first of them."""
    machines = {machine.elf: machine for machine in machines_of(context.target)}
    refused = {machine.bits: calls_of_refused(context, machine.bits) for machine in machines.values()}
    told: set[object] = set()
    for stored in context.get(deciding_rules):
        machine = _machine(stored, machines)
        if machine is None:
            continue
        families = _left_out(machine.name, context.target, table, stored.mask)
        if any(field.name in ARGUMENTS for field in stored.rule.fields):
            families = tuple(family for family in families if "clone" not in family[0])  # AL412 tells
        if not families:
            continue
        names = _unrecorded(context, stored, machine, families, told) - refused[machine.bits]
        pairs = ((present, tuple(name for name in absent if name in names)) for present, absent in families)
        found = tuple((present, absent) for present, absent in pairs if absent)
        if found:
            yield Missing(stored, machine, found)


def _machine(stored: Stored, machines: dict[int, Machine]) -> Machine | None:
    """The machine whose calls an `always` rule names; without arch they are looked up in the table of the host."""
    rule = stored.rule
    if rule.list != "exit" or rule.action != "always" or not 0 < stored.mask.bit_count() <= MOST_CALLS:
        return None
    machine = next(iter(machines.values()), None)
    for field in rule.fields:
        if field.name == "perm":
            return None
        if field.name == "arch":
            machine = machines.get(int(field.value)) if field.op == "=" else None
    return machine


@lru_cache(maxsize=1024)
def _left_out(machine: str, target: Target, table: str, mask: int) -> Families:
    """The names of a mask with the variants that it leaves out, family by family, each once."""
    found = []
    seen: set[str] = set()
    for names, numbered, needed in _families(machine, target, table):
        if mask & needed:
            present = tuple(name for name, bit in zip(names, numbered, strict=True) if mask & bit)
            absent = tuple(
                name for name, bit in zip(names, numbered, strict=True) if not mask & bit and name not in seen
            )
            if absent:
                seen.update(absent)
                found.append((present, absent))
    return tuple(found)


@lru_cache(maxsize=64)
def _families(machine: str, target: Target, table: str) -> tuple[tuple[tuple[str, ...], tuple[int, ...], int], ...]:
    """The families of a table as far as the target has them: names, their bits, and the bits of those of which a rule
    must have one."""
    live = live_calls(machine, target)
    spelling = tables.kernel_spelling(machine)
    found = []
    for row in rows(f"syscalls/{table}.tsv"):
        # Some names are spelled otherwise by auditctl.
        every = (spelling.get(name, name) for name in row[0].split(","))
        names = tuple(dict.fromkeys(name for name in every if name in live))
        needs = names if row[1] == "-" else [spelling.get(name, name) for name in row[1].split(",")]
        numbered = tuple(1 << live[name] for name in names)
        needed = 0
        for name, bit in zip(names, numbered, strict=True):
            needed |= bit if name in needs else 0  # two names may have one number
        found.append((names, numbered, needed))
    return tuple(found)


def _unrecorded(
    context: RulesContext, stored: Stored, machine: Machine, families: Families, told: set[object]
) -> set[str]:
    """Those of the calls left out that no rule records, as far as they were not told yet."""
    live = live_calls(machine.name, context.target)
    mask = 0
    for _, absent in families:
        for name in absent:
            mask |= 1 << live[name]
    if stored.path is not None or any(field.name.startswith("obj_") for field in stored.rule.fields):
        mask &= ~pathless(machine.name)
    elf = machine.elf
    rest = context.coverage.rest(stored, {elf: mask}).get(elf, 0)
    if not rest:
        return set()
    forgotten = context.coverage.forgotten(stored, {elf: rest}, any_argument=True)
    known = tables.call_names(machine.name, context.target.auditctl)
    conditions = frozenset(
        (each.name, each.op, each.value) for each in stored.rule.fields if each.name not in _NOT_COMPARED
    )
    found = set()
    for number in numbers((forgotten or {}).get(elf, 0)):
        if (conditions, elf, number) not in told:
            told.add((conditions, elf, number))
            found.add(known[number])
    return found


def at_calls(entry: Entry) -> Location:
    """The first -S list of a line."""
    lists = call_lists(line_bytes(entry))
    if not lists or entry.parts:
        return at_line(entry)
    start = entry.at.span[0]
    return Location(entry.at.source, (start + lists[0][0], start + lists[0][1]))


def adding(gap: Missing, title: str) -> Fix | None:
    """The missing names behind those that are there."""
    entry = entry_of(gap.stored)
    text = line_bytes(entry)
    added: dict[int, list[str]] = {}
    if entry.parts or any(field.name in ARGUMENTS for field in gap.stored.rule.fields):
        return None  # an argument of another call means another thing
    for present, absent in gap.pairs:
        ends = [
            end
            for start, end in call_lists(text)
            if set(text[start:end].decode("utf-8", "replace").lower().split(",")).intersection(present)
        ]
        if not ends:
            return None
        added.setdefault(entry.at.span[0] + ends[-1], []).extend(absent)
    edits = (Edit(entry.at.source, at, at, f",{','.join(names)}".encode()) for at, names in added.items())
    return Fix("unsafe", title, tuple(edits))
