"""What a release of auditctl knows: options, lists, fields and system calls by name, for one target and one host."""

from __future__ import annotations

from auditlint.auditctl import tables
from auditlint.auditctl.fields import DIGITS, FieldReader
from auditlint.auditctl.model import ALL_SYSCALLS, Field
from auditlint.auditctl.numbers import as_int, strtol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from auditlint.auditctl.fields import ParsedField
    from auditlint.auditctl.model import FilterList, Operator
    from auditlint.auditctl.tables import Machine
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

    Key = TypeVar("Key")
    Value = TypeVar("Value")

_LISTS: tuple[FilterList, ...] = ("task", "exit", "user", "exclude", "filesystem")
LISTS: Mapping[str, FilterList] = {name: name for name in _LISTS}
MOST_KEPT = 5_000
"""Entries of a memory before it is emptied, so that hostile files cannot fill it."""
IO_URING_OPERATIONS_OF_ALL = 37
"""`-S all` on io_uring names operations below IORING_OP_LAST of the headers that auditctl was built with (6.1)."""


CALLS = 2048


class Vocabulary:
    """What the reading of a line asks, kept for the next line that asks the same."""

    def __init__(self, target: Target, facts: Facts) -> None:
        release = target.auditctl
        self.target = target
        self.facts = facts
        self.switches = tables.switches(release)
        self.options = tables.options(release)
        self.signals = tables.signals(release)
        self.pairs = FieldReader(target, facts)
        self.lists: Mapping[str, FilterList] = LISTS
        if tables.io_uring_operations(release):
            self.lists = {**LISTS, "io_uring": "io_uring"}
        self._pairs: dict[tuple[str, str | None], ParsedField] = {}
        self._comparisons: dict[tuple[str, str | None], ParsedField] = {}
        self._calls: dict[tuple[str, str], tuple[int, str | None]] = {}
        self._narrow: dict[tuple[str, str], int] = {}
        self._perms: dict[tuple[str, str], tuple[int, str]] = {}
        self._fields: dict[tuple[str, str, int | str], Field] = {}

    def pair(self, text: str, filter_list: str | None) -> ParsedField:
        """A text of -F on a filter list."""
        found = self._pairs.get((text, filter_list))
        if found is None:
            found = keep(self._pairs, (text, filter_list), self.pairs.read(text, filter_list))
        return found

    def comparison(self, text: str, filter_list: str | None) -> ParsedField:
        """A text of -C on a filter list."""
        found = self._comparisons.get((text, filter_list))
        if found is None:
            found = keep(self._comparisons, (text, filter_list), self.pairs.compare(text, filter_list))
        return found

    def field(self, name: str, op: Operator, value: int | str) -> Field:
        """A field value; equal ones are one object."""
        found = self._fields.get((name, op, value))
        if found is None:
            found = keep(self._fields, (name, op, value), Field(name, op, value))
        return found

    def calls(self, machine: Machine, text: str) -> tuple[int, str | None]:
        """Mask of a text of -S, and the first element that the machine does not know (_audit_parse_syscall).

        With such an element the mask is that of the names in front of it.
        """
        found = self._calls.get((machine.name, text))
        if found is None:
            mask = named = 0
            unknown = None
            names = tables.calls(machine.name, self.target.auditctl)
            for element in _elements(text):
                bits = self._call(names, element)
                if not bits:
                    mask, unknown = named, element
                    break
                mask |= bits
                named |= 0 if element == "all" else bits
            found = keep(self._calls, (machine.name, text), (mask, unknown))
        return found

    def narrow_mask(self, machine: Machine, text: str) -> int:
        """Mask that the 32-bit table gives for a text of -S; unknown names count for nothing."""
        found = self._narrow.get((machine.name, text))
        if found is None:
            name = machine.name if machine.narrow == "-" else machine.narrow
            names = tables.calls(name, self.target.auditctl)
            found = 0
            for element in _elements(text) if "mismatch-splits" in self.switches else [text]:
                found |= self._call(names, element)
            keep(self._narrow, (machine.name, text), found)
        return found

    def operations(self, text: str) -> tuple[int, str | None]:
        """Mask of a text of -S on the io_uring list, and what is unknown of it (parse_io_uring)."""
        names = tables.io_uring_operations(self.target.auditctl)
        mask = 0
        elements = _elements(text)
        for element in elements:
            if element == "all":
                mask |= sum(1 << number for number in names.values() if number < IO_URING_OPERATIONS_OF_ALL)
                continue
            bits = self._call(names, element)
            if not bits:
                return 0, element
            mask |= bits
        return mask, None if elements else text

    def perm_mask(self, machine: Machine, letter: str) -> tuple[int, str]:
        """Mask of a letter of -F perm, and the first of its calls whose lack fails the line."""
        found = self._perms.get((machine.name, letter))
        if found is None:
            names = tables.calls(machine.name, self.target.auditctl)
            mask, missing = 0, ""
            for call in tables.perm_calls(self.target.auditctl)[letter]:
                if call in names:
                    mask |= 1 << names[call]
                elif not missing and "perm-skips-missing" not in self.switches:
                    missing = call
            found = self._perms[machine.name, letter] = mask, missing
        return found

    def _call(self, names: Mapping[str, int], element: str) -> int:
        """The bits of one element: `all`, a name in any case, or a number; 0 when unknown."""
        if element == "all":
            return ALL_SYSCALLS
        number = names.get(tables.fold(element))
        if number is None:
            number = as_int(strtol(element, self.pairs.long_bits)) if element[:1] in DIGITS and element else -1
        return 1 << number if 0 <= number < CALLS else 0


def _elements(text: str) -> list[str]:
    """The elements of a text of -S: empty ones are skipped in a list."""
    return [element for element in text.split(",") if element] if "," in text else [text]


def keep(memory: dict[Key, Value], key: Key, value: Value) -> Value:
    if len(memory) >= MOST_KEPT:
        memory.clear()
    memory[key] = value
    return value
