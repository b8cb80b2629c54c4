"""AL142: a number is cut to 32 bits."""

from __future__ import annotations

from auditlint.analysis.written_numbers import numbers
from auditlint.checks.api import Entry, Hit, Hits, RulesContext


def check(context: RulesContext) -> Hits:
    for number in numbers(context):
        value = number.value
        if -(1 << 31) <= value < 1 << 32 or number.name == "arch":
            continue
        entry = number.entry
        sent = _setting(entry.control) if number.name.startswith("-") else _sent(entry, number.name)
        what = "" if sent is None else f": auditctl sends {sent}"
        yield Hit(number.at, f"{number.sign}{number.digits} does not fit into 32 bits{what}")


def _sent(entry: Entry, name: str) -> int | None:
    field = entry.rule.get(name) if entry.rule is not None else None
    return field.value if field is not None and isinstance(field.value, int) else None


def _setting(control: tuple[dict[str, object], ...]) -> int | None:
    for record in control:
        for value in record.values():
            if isinstance(value, int):
                return value
    return None
