"""Rules for one ABI of a machine with two, and which of their calls no rule records on the other ABI."""

from __future__ import annotations

from functools import lru_cache

from auditlint.analysis.deciding_rules import deciding_rules
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.refused_subjects import ARCH, calls_of_refused
from auditlint.analysis.rule_calls import MOST_CALLS, machines_of, numbers
from auditlint.analysis.rule_fields import addable
from auditlint.analysis.rule_pairs import entry_of
from auditlint.analysis.unknown_syscalls import call_lists
from auditlint.auditctl import tables
from auditlint.auditctl.model import ALL_SYSCALLS
from auditlint.context.rules import at_line
from auditlint.core.findings import Edit, Fix, Hit
from auditlint.core.frozen import dataclass
from auditlint.core.source import Location
from auditlint.core.target import NO_KERNEL, version
from auditlint.kernel.acceptance import STORED_BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.auditctl.tables import Machine
    from auditlint.context.rules import RulesContext
    from auditlint.core.target import Target
    from auditlint.kernel.storage import Stored

_U32 = 0xFFFFFFFF
MOST_ERRNO = 4095
"""The largest number of an error (MAX_ERRNO, include/linux/err.h)."""
_WITH_32_BIT_PROGRAMS = frozenset(("x86_64", "aarch64", "s390x", "ppc64"))
"""Machines on which 32-bit programs are usual enough to ask for rules about them."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An `always` rule for one ABI. `other` is the second ABI of the machine: surely no rule records the `uncovered`
    calls (by number there) under the same conditions, nor the `forgotten` calls under any similar conditions."""

    stored: Stored
    own: Machine
    other: Machine
    wanted: int
    uncovered: int
    forgotten: int


def abi_gaps(context: RulesContext) -> list[Gap]:
    """The rules for one ABI that leave a gap in the other one, in load order."""
    return list(_abi_gaps(context))


def _abi_gaps(context: RulesContext) -> Iterator[Gap]:
    target = context.target
    machines = machines_of(target)
    if len(machines) != 2 or machines[0].name not in _WITH_32_BIT_PROGRAMS:
        return
    refused = {machine.bits: calls_of_refused(context, machine.bits) for machine in machines}
    others = {machines[0].elf: (machines[0], machines[1]), machines[1].elf: (machines[1], machines[0])}
    algebra = context.algebra
    mistyped = _with_positive_errno(context)
    for stored in context.get(deciding_rules):
        rule = stored.rule
        if rule.list != "exit" or rule.action != "always" or rule.get("arch") is None:
            continue
        selected = [arch for arch, mask in algebra.meaning(stored).selection.items() if mask]
        pair = others.get(selected[0]) if len(selected) == 1 else None
        if pair is None or _whole_compat(rule, *pair):
            continue
        if pair[1].bits == 32 and context.facts.programs_32bit is False:
            continue
        ours = algebra.meaning(stored)
        wanted = _mapped(target, pair[0].name, pair[1].name, stored.mask)
        for letters, positive in ours.perms:
            wanted &= ours.world.abi(pair[1].elf).members(letters) if positive else wanted
        if mistyped:
            wanted &= ~mistyped.get((pair[1].elf, _meant(rule)), 0)
        rest = context.coverage.rest(stored, {pair[1].elf: wanted}).get(pair[1].elf, 0)
        if rest:
            names = refused[pair[1].bits]
            if names and names.intersection(names_of(pair[1], target, rest)):
                continue
            forgotten = context.coverage.forgotten(stored, {pair[1].elf: rest})
            if forgotten is not None:
                yield Gap(stored, *pair, wanted, rest, forgotten.get(pair[1].elf, 0))


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
        return mask & STORED_BITS
    twins = _same_calls(target, own, other)
    found = 0
    for number in numbers(mask):
        if number in twins:
            found |= 1 << twins[number]
    return found


@lru_cache(maxsize=16)
def _same_calls(target: Target, own: str, other: str) -> Mapping[int, int]:
    """The number of a call on one ABI, to that of the same call on the other one. The kernel's names decide: auditctl
    spells some otherwise, and not the same on all machines (kexec_load is sys_kexec_load on i386)."""
    there = live_calls(other, target)
    known = set(there.values())
    by_kernel = {name: number for number, name in tables.kernel_call_names(other).items() if number in known}
    ours = tables.kernel_call_names(own)
    found = {}
    for number, name in tables.call_names(own, target.auditctl).items():
        twin = by_kernel.get(ours[number]) if number in ours else None
        twin = there.get(name) if twin is None else twin
        if twin is not None:
            found[number] = twin
    return found


def _with_positive_errno(context: RulesContext) -> Mapping[tuple[int, object], int]:
    """The calls of `always` rules that compare exit with an error without its minus, by ABI and intended conditions,
    with those of the rules that are correct: AL204 reports the mistake, and once it is fixed there is no gap."""
    mistyped = {
        _meant(stored.rule)
        for stored in context.get(deciding_rules)
        if stored.rule.list == "exit" and any(_is_positive_errno(each.name, each.value) for each in stored.rule.fields)
    }
    found: dict[tuple[int, object], int] = {}
    for stored in context.get(deciding_rules) if mistyped else ():
        meant = _meant(stored.rule)
        if meant in mistyped and stored.rule.action == "always":
            for arch in context.algebra.meaning(stored).selection:
                found[arch, meant] = found.get((arch, meant), 0) | stored.mask
    return found


def _is_positive_errno(name: str, value: object) -> bool:
    return name == "exit" and isinstance(value, int) and 0 < value <= MOST_ERRNO


def _meant(rule: Rule) -> object:
    """The conditions of a rule, with the minus that an error has."""
    return frozenset(
        (each.name, each.op, -int(each.value) & _U32 if _is_positive_errno(each.name, each.value) else each.value)
        for each in rule.fields
        if each.name not in ("arch", "key")
    )


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
    """The names of the calls of a mask. Bits without a call are left out, unless there are only such: their numbers."""
    known = tables.call_names(machine.name, target.auditctl)
    return [known[number] for number in numbers(mask) if number in known] or [str(number) for number in numbers(mask)]


def twin_fix(context: RulesContext, gap: Gap, mask: int) -> Fix | None:
    """The same line for the other ABI, with those of its calls that are in the mask."""
    entry = entry_of(gap.stored)
    text = line_bytes(entry)
    arch = ARCH.search(text)
    lists = call_lists(text)
    calls = [name.lower() for start, end in lists for name in text[start:end].decode("utf-8", "replace").split(",")]
    ours, spelled = _spelling(context.target, gap.own.name, gap.other.name)
    twins = _same_calls(context.target, gap.own.name, gap.other.name)
    pairs = [(name, twins.get(ours.get(name, -1), -1)) for name in calls]
    names = [
        name if name == "all" else spelled[twin]
        for name, twin in pairs
        if name == "all" or (twin >= 0 and mask >> twin & 1)
    ]
    if arch is None or entry.parts or b"\r" in text or (calls and not names) or any(name.isdigit() for name in calls):
        return None
    return _in_twin_rule(context, gap, names) or _twin_rule(context, gap, text, names)


@lru_cache(maxsize=16)
def _spelling(target: Target, own: str, other: str) -> tuple[Mapping[str, int], Mapping[int, str]]:
    """The numbers of the one ABI by name in lower case, and the names of the live calls of the other one."""
    ours = {name.lower(): number for name, number in tables.calls(own, target.auditctl).items()}
    return ours, {number: name for name, number in live_calls(other, target).items()}


def by_conditions(context: RulesContext) -> Mapping[int, list[Stored]]:
    """The deciding `always` rules of the exit list with arch, by the hash of its value and of the other conditions."""
    found: dict[int, list[Stored]] = {}
    for stored in context.get(deciding_rules):
        arch = stored.rule.get("arch")
        if arch is not None and stored.rule.list == "exit" and stored.rule.action == "always":
            found.setdefault(hash((arch.value, _conditions(stored.rule))), []).append(stored)
    return found


def _conditions(rule: Rule) -> tuple[object, ...]:
    return tuple([(each.name, each.op, each.value) for each in rule.fields if each.name != "arch"])


def _in_twin_rule(context: RulesContext, gap: Gap, names: list[str]) -> Fix | None:
    """The fix that adds the calls to the rule for the other ABI that differs only in its calls."""
    if "all" in names:
        return None
    wanted = _conditions(gap.stored.rule)
    for stored in context.get(by_conditions).get(hash((gap.other.elf, wanted)), ()):
        entry, arch = stored.entry, stored.rule.get("arch")
        if arch is None or arch.value != gap.other.elf or _conditions(stored.rule) != wanted:
            continue
        lists = call_lists(line_bytes(entry)) if entry is not None and not entry.parts else []
        if entry is not None and lists and 0 < stored.mask.bit_count() <= MOST_CALLS:
            at = entry.at.span[0] + lists[-1][1]
            title = f"Add {', '.join(names)} to the rule for arch=b{gap.other.bits}"
            return Fix("unsafe", title, (Edit(entry.at.source, at, at, f",{','.join(names)}".encode()),))
    return None


def _twin_rule(context: RulesContext, gap: Gap, text: bytes, names: list[str]) -> Fix | None:
    """The same line with the calls of the other ABI."""
    entry = entry_of(gap.stored)
    arch = ARCH.search(text)
    lists = call_lists(text)
    if arch is None:
        return None
    changes = [(*arch.span(1), f"b{gap.other.bits}".encode())]
    for start, end in lists:
        changes.append((start, end, ",".join(names).encode()) if names else (_option_start(text, start), end, b""))
        names = []
    for start, end, word in sorted(changes, reverse=True):
        text = (text[:start] if word else text[:start].rstrip(b" ")) + word + text[end:]
    rule = gap.stored.rule
    odd = rule.get("perm") is not None or sum(field.name == "arch" for field in rule.fields) > 1
    if odd and not addable(context, text):
        return None  # some releases of auditctl refuse perm on some machines
    end = entry.at.span[1]
    return Fix("unsafe", f"Add the rule for arch=b{gap.other.bits}", (Edit(entry.at.source, end, end, b"\n" + text),))


def _option_start(text: bytes, argument: int) -> int:
    """The offset of the -S of an argument."""
    return text.rindex(b"-S", 0, argument)


def missing_twins(context: RulesContext, bits: int) -> Iterator[Hit]:
    """Rules whose calls no rule records for programs of that width."""
    for gap in context.get(abi_gaps):
        entry = entry_of(gap.stored)
        if gap.other.bits != bits or gap.forgotten != gap.wanted:
            continue
        message = f"{bits}-bit programs are not audited for this: no rule has arch=b{bits}"
        yield Hit(at_arch(entry), message, (), twin_fix(context, gap, gap.wanted))


def at_arch(entry: Entry) -> Location:
    """The arch of a line, found in its text: there can be many such lines."""
    found = ARCH.search(line_bytes(entry))
    if found is None or entry.parts:
        return at_line(entry)
    start = entry.at.span[0]
    return Location(entry.at.source, (start + found.start(), start + found.end()))
