"""What rules of the exclude list drop."""

from __future__ import annotations

from functools import cache

from auditlint.analysis import triggers as triggers
from auditlint.auditctl.tables import record_names
from auditlint.core.data import rows
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.fields import compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Field, Rule
    from auditlint.context.rules import RulesContext


NEARLY_ALL = 0.9
"""Share of the record types from which on it is as good as all."""


def droppers(context: RulesContext) -> Iterator[tuple[Rule, Entry, frozenset[str]]]:
    """The rules of the exclude list that look at nothing but the record type, with the types that they drop.

    The action does not count there. A field that this list does not know ends it: such rules drop nothing.
    """
    for rule, entry in context.on_list("exclude"):
        if rule.fields and all(field.name == "msgtype" or always_true(field) for field in rule.fields):
            yield rule, entry, dropped(rule)


def drops_nearly_all(rule: Rule) -> bool:
    """Whether the rule looks at the record type only, and leaves few of those that the list sees."""
    looks = all(field.name == "msgtype" or always_true(field) for field in rule.fields)
    return bool(rule.fields) and looks and len(dropped(rule)) >= NEARLY_ALL * kernel_types()


def always_true(field: Field) -> bool:
    """Whether every process meets the condition, on a field that this list knows."""
    if field.name not in KNOWN_FIELDS:
        return False
    return triggers.always_true(field)


def dropped(rule: Rule) -> frozenset[str]:
    """The record types for which the conditions on msgtype hold."""
    tests = [(field.op, field.value) for field in rule.fields if field.name == "msgtype"]
    return frozenset(
        name
        for number, name in _kernel_types().items()
        if all(isinstance(value, int) and compare(number, op, value) for op, value in tests)
    )


def lost(names: frozenset[str], use: str) -> Sequence[tuple[str, str, str]]:
    """Type, severity and loss for the dropped types of that use."""
    return [(name, *_losses(use)[name]) for name in sorted(names & _losses(use).keys())]


@cache
def _kernel_types() -> Mapping[int, str]:
    """The record types that the exclude list sees."""
    seen = {row[0] for row in rows("msgtypes.tsv") if row[6] == "yes"}
    return {number: name for number, name in record_names().items() if name in seen}


def kernel_types() -> int:
    """How many record types the exclude list sees."""
    return len(_kernel_types())


@cache
def _losses(use: str) -> Mapping[str, tuple[str, str]]:
    found = {}
    for pattern, each, severity, what in rows("exclusions.tsv"):
        if each == use:
            start = pattern.removesuffix("*")
            for name in _kernel_types().values():
                if name == pattern or (start != pattern and name.startswith(start)):
                    found[name] = (severity, what)
    return found
