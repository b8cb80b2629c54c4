"""Rules with arch and perm: which calls of the kernel's permission classes their mask lacks."""

from __future__ import annotations

from auditlint.analysis.deciding_rules import deciding_rules
from auditlint.analysis.rule_calls import abis_of_rule, numbers, pathless
from auditlint.auditctl import tables
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.tables import Machine
    from auditlint.context.rules import RulesContext
    from auditlint.kernel.storage import Stored

EXECVEAT = "execveat"


@dataclass(frozen=True, slots=True)
class Lack:
    """An `always` rule with perm on a machine, the calls of its classes that its mask lacks and that no rule records,
    and whether the kernel itself does not count execveat to perm=x there."""

    stored: Stored
    machine: Machine
    names: tuple[str, ...]
    kernel_lacks_execveat: bool


def lacks(context: RulesContext) -> list[Lack]:
    """The calls that each rule with perm lacks, ABI by ABI. Before 3.1.3 auditctl did not add to the mask: a rule with
    -S has what its user chose."""
    return list(_lacks(context))


def _lacks(context: RulesContext) -> Iterator[Lack]:
    adds = bool(tables.perm_calls(context.target.auditctl)["x"])
    for stored in context.get(deciding_rules):
        rule = stored.rule
        letters = next((int(field.value) for field in rule.fields if field.name == "perm"), None)
        if letters is None or rule.list != "exit" or rule.action != "always":
            continue
        for machine in abis_of_rule(rule, context.target):
            abi = context.algebra.world.abi(machine.elf)
            mask = abi.members(letters) & ~stored.mask if adds else 0
            if stored.path is not None:
                mask &= ~pathless(machine.name)
            execveat = _execveat(context, machine) if letters & 1 else 0
            by_kernel = bool(execveat and not abi.exec & execveat)
            mask |= execveat if by_kernel or (adds and not stored.mask & execveat) else 0
            if mask:
                mask = context.coverage.rest(stored, {machine.elf: mask}, any_perm=True).get(machine.elf, 0)
            if mask:
                by_number = tables.kernel_call_names(machine.name)
                # the classes hold calls that are newer than the table of names
                names = tuple(by_number.get(number) or str(number) for number in numbers(mask))
                yield Lack(stored, machine, names, by_kernel)


def _execveat(context: RulesContext, machine: Machine) -> int:
    """The bit of execveat, 0 where the kernel does not have it."""
    number = tables.kernel_calls(machine.name).get(EXECVEAT)
    return 1 << number if number is not None and context.target.kernel_at_least("3.19") else 0


def arch_takes_perm(context: RulesContext) -> bool:
    """Whether this auditctl accepts perm after arch. 3.1.3 to 4.0.3 refuse it on a machine that lacks one of the calls
    of the letter (AL145)."""
    from auditlint.analysis.trial_parse import reread

    ways = (b"-a always,exit -F arch=b64 -F path=/x -F perm=%c" % letter for letter in b"rwxa")
    return all(reread(context, text).kind is None for text in ways)
