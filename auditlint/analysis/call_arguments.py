"""Conditions on a0 to a3 with the system calls that they are about."""

from __future__ import annotations

from auditlint.analysis.rule_calls import MOST_CALLS, abis_of_rule, arguments, named, numbers
from auditlint.analysis.rule_fields import fields_named
from auditlint.auditctl.tables import kernel_call_names
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Field, Rule
    from auditlint.context.rules import RulesContext

_POSITIONS = {"a0": 0, "a1": 1, "a2": 2, "a3": 3}
_FLAGS = {"open": "a1", "openat": "a2", "chmod": "a1", "fchmod": "a1", "fchmodat": "a2"}
"""Where the open flags or the mode of calls stand that are often named together."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A condition on an argument; `kinds` are the letters of the calls of its rule by the name of the call."""

    rule: Rule
    entry: Entry
    number: int
    field: Field
    kinds: dict[str, str]

    def calls(self, letter: str) -> list[str]:
        """The calls that have an argument of this kind there; `""`: that have none there."""
        at = _POSITIONS[self.field.name]
        return [call for call, letters in self.kinds.items() if letters[at : at + 1] == letter]

    def elsewhere(self) -> str:
        """Where the flags or the mode stand for those calls, when they are named with others that fit."""
        found = [f"{_FLAGS[call]} of {call}" for call in self.calls("p") if call in _FLAGS]
        return "flags and mode are " + ", ".join(found) if found and len(self.kinds) > 1 else ""


def judged_arguments(context: RulesContext) -> Iterator[Argument]:
    """The conditions on arguments in rules of the exit list that name their calls."""
    kept: dict[tuple[int, str], dict[str, str]] = {}
    for rule, entry, number, field in fields_named(context, *_POSITIONS):
        if rule.list != "exit":
            continue
        mask = named(entry, rule)
        if not mask or mask.bit_count() > MOST_CALLS:
            continue
        machines = abis_of_rule(rule, context.target)
        if rule.get("arch") is None:
            machines = machines[:1]  # names were looked up in the native table
        kinds: dict[str, str] = {}
        for machine in machines:
            key = (mask, machine.name)
            if key not in kept:
                kept[key] = _kinds(*key)
            kinds.update(kept[key])
        yield Argument(rule, entry, number, field, kinds)


def _kinds(mask: int, machine: str) -> dict[str, str]:
    names, known = kernel_call_names(machine), arguments(machine)
    calls = [names[number] for number in numbers(mask) if number in names]
    return {call: known[call] for call in calls if call in known}
