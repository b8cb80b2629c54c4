"""Rules and text in the form of the records of `parse`."""

from __future__ import annotations

from functools import lru_cache

from auditlint.auditctl.model import ALL_SYSCALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.auditctl.model import Rule


def shown(text: str) -> str:
    """Text with every byte that is not UTF-8 as `\\xff`; a real backslash stands as it is."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@lru_cache(maxsize=1024)
def call_numbers(mask: int) -> tuple[int, ...]:
    """The numbers of the bits of a mask, in order."""
    bits = bin(mask)[:1:-1]
    found = []
    at = bits.find("1")
    while at >= 0:
        found.append(at)
        at = bits.find("1", at + 1)
    return tuple(found)


def rule_record(rule: Rule) -> dict[str, Any]:
    """The structure of a rule as `parse` writes it: list, action, prepend when true, syscalls, fields."""
    record: dict[str, Any] = {"list": rule.list, "action": rule.action}
    if rule.prepend:
        record["prepend"] = True
    record["syscalls"] = "all" if rule.mask == ALL_SYSCALLS else list(call_numbers(rule.mask))
    record["fields"] = [
        [field.name, field.op, shown(field.value) if isinstance(field.value, str) else field.value]
        for field in rule.fields
    ]
    return record
