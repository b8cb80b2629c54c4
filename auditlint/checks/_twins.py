"""Rules for one ABI of a machine with two, and what no rule records for the other one."""

from __future__ import annotations

from functools import lru_cache

from auditlint.checks._calls import MOST_CALLS, machines_of, numbers
from auditlint.checks._fields import addable
from auditlint.checks._refused import ARCH, calls_of_refused
from auditlint.checks._syscalls import call_lists
from auditlint.checks._text import line_bytes
from auditlint.checks._together import entry_of
from auditlint.findings import Edit, Fix, Hit
from auditlint.frozen import dataclass
from auditlint.kernel.meaning import ALL_CALLS
from auditlint.language import tables
from auditlint.language.model import ALL_SYSCALLS
from auditlint.source import Location
from auditlint.subjects import at_line
from auditlint.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditlint.kernel.storage import Stored
    from auditlint.language.model import Rule
    from auditlint.language.tables import Machine
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject
    from auditlint.target import Target

_WITH_32_BIT_PROGRAMS = frozenset(("x86_64", "aarch64", "s390x", "ppc64"))
"""Machines on which 32-bit programs are usual enough to ask for rules about them."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An `always` rule for one ABI. `other` is the ABI beside it, where `uncovered` calls (by number there) are
    surely recorded by no rule under the same conditions, and `forgotten` by none under any that could be meant."""

    stored: Stored
    other: Machine
    wanted: int
    uncovered: int
    forgotten: int


def gaps(subject: RulesSubject) -> Iterator[Gap]:
    """The rules for one ABI that leave a gap in the other one."""
    target = subject.target
    machines = machines_of(target)
    if len(machines) != 2 or machines[0].name not in _WITH_32_BIT_PROGRAMS:
        return
    refused = {machine.bits: calls_of_refused(subject, machine.bits) for machine in machines}
    others = {machines[0].elf: (machines[0], machines[1]), machines[1].elf: (machines[1], machines[0])}
    algebra = subject.algebra
    for stored in subject.deciding:
        rule = stored.rule
        if rule.list != "exit" or rule.action != "always" or rule.get("arch") is None:
            continue
        selected = [arch for arch, mask in algebra.meaning(stored).selection.items() if mask]
        pair = others.get(selected[0]) if len(selected) == 1 else None
        if pair is None or _whole_compat(rule, *pair):
            continue
        if pair[1].bits == 32 and subject.facts.programs_32bit is False:
            continue
        ours = algebra.meaning(stored)
        wanted = _mapped(target, pair[0].name, pair[1].name, stored.mask)
        for letters, positive in ours.perms:
            wanted &= ours.world.abi(pair[1].elf).members(letters) if positive else wanted
        rest = subject.coverage.rest(stored, {pair[1].elf: wanted}).get(pair[1].elf, 0)
        if rest:
            names = refused[pair[1].bits]
            if names and names.intersection(names_of(pair[1], target, rest)):
                continue
            forgotten = subject.coverage.forgotten(stored, {pair[1].elf: rest})
            if forgotten is not None:
                yield Gap(stored, pair[1], wanted, rest, forgotten.get(pair[1].elf, 0))


def _whole_compat(rule: Rule, own: Machine, other: Machine) -> bool:
    """Is it the usual alarm for any 32-bit call at all?"""
    return (
        own.bits < other.bits
        and rule.mask == ALL_SYSCALLS
        and all(field.name in ("arch", "key") for field in rule.fields)
    )


@lru_cache(maxsize=1024)
def _mapped(target: Target, own: str, other: str, mask: int) -> int:
    """The calls of a mask by the same names on the other ABI, those that its kernel has."""
    if mask.bit_count() > MOST_CALLS:
        return mask & ALL_CALLS
    names = tables.call_names(own, target.auditctl)
    there = live_calls(other, target)
    found = 0
    for number in numbers(mask):
        twin = there.get(names.get(number, ""))
        if twin is not None:
            found |= 1 << twin
    return found


@lru_cache(maxsize=16)
def live_calls(machine: str, target: Target) -> Mapping[str, int]:
    """The calls that auditctl knows by name and the kernel of the target has."""
    kernel = None if target.kernel == NO_KERNEL else version(target.kernel)
    first, gone = tables.call_since_kernel(), tables.call_removed_kernel()
    in_kernel = tables.kernel_call_names(machine)
    found = {}
    for name, number in tables.calls(machine, target.auditctl).items():
        since = first.get(name)
        if name in gone or (since is None and number not in in_kernel):
            continue
        if since is None or kernel is None or kernel >= version(since):
            found[name] = number
    return found


def names_of(machine: Machine, target: Target, mask: int) -> list[str]:
    """The names of the calls of a mask."""
    known = tables.call_names(machine.name, target.auditctl)
    return [known.get(number, str(number)) for number in numbers(mask)]


def twin_fix(subject: RulesSubject, gap: Gap, mask: int) -> Fix | None:
    """The same line for the other ABI, with those of its calls that are in the mask."""
    entry = entry_of(gap.stored)
    text = line_bytes(entry)
    there = live_calls(gap.other.name, subject.target)
    arch = ARCH.search(text)
    lists = call_lists(text)
    calls = [name.lower() for start, end in lists for name in text[start:end].decode("utf-8", "replace").split(",")]
    names = [name for name in calls if name == "all" or (name in there and mask >> there[name] & 1)]
    if arch is None or entry.parts or b"\r" in text or (calls and not names) or any(name.isdigit() for name in calls):
        return None
    changes = [(*arch.span(1), f"b{gap.other.bits}".encode())]
    for start, end in lists:
        changes.append((start, end, ",".join(names).encode()) if names else (_option_start(text, start), end, b""))
        names = []
    for start, end, word in sorted(changes, reverse=True):
        text = (text[:start] if word else text[:start].rstrip(b" ")) + word + text[end:]
    rule = gap.stored.rule
    odd = rule.get("perm") is not None or sum(field.name == "arch" for field in rule.fields) > 1
    if odd and not addable(subject, text):
        return None  # some releases of auditctl refuse perm on some machines
    end = entry.at.span[1]
    return Fix("unsafe", f"Add the rule for arch=b{gap.other.bits}", (Edit(entry.at.source, end, end, b"\n" + text),))


def _option_start(text: bytes, argument: int) -> int:
    """Where the -S of an argument stands."""
    return text.rindex(b"-S", 0, argument)


def missing_twins(subject: RulesSubject, bits: int) -> Iterator[Hit]:
    """The rules of which no rule records anything for programs of that width."""
    for gap in subject.arch_gaps:
        entry = entry_of(gap.stored)
        if gap.other.bits != bits or gap.forgotten != gap.wanted:
            continue
        message = f"no rule records this for {bits}-bit programs: there is none for arch=b{bits}"
        yield Hit(at_arch(entry), message, (), twin_fix(subject, gap, gap.wanted))


def at_arch(entry: Entry) -> Location:
    """The arch of a line, found in its text: there can be many such lines."""
    found = ARCH.search(line_bytes(entry))
    if found is None or entry.parts:
        return at_line(entry)
    start = entry.at.span[0]
    return Location(entry.at.source, (start + found.start(), start + found.end()))
