"""AL140: a leading zero makes a number octal."""

from __future__ import annotations

import re

from auditlint.analysis.written_numbers import numbers
from auditlint.checks.api import Hit, Hits, RulesContext, line_bytes, offset, rewritten

MEANT_OCTAL = frozenset(("a0", "a1", "a2", "a3"))
"""Arguments hold modes and open flags, for which octal is usual."""
_ZERO = re.compile(r"0+[0-9]")


def check(context: RulesContext) -> Hits:
    for number in numbers(context):
        if number.name in MEANT_OCTAL or not _ZERO.match(number.text.lstrip("-")):
            continue
        plain = number.text.lstrip("-0") or "0"
        if not plain.isdigit() or int(plain) == abs(number.value):
            continue
        entry = number.entry
        text = line_bytes(entry)
        start, end = offset(entry, number.span[0]), offset(entry, number.span[1])
        changed = text[:start] + (number.sign + plain).encode() + text[end:]
        fix = rewritten(context, entry, "unsafe", f"Write {number.sign}{plain}", changed)
        yield Hit(number.at, f"auditctl reads {number.text} as octal, {number.value}", (), fix)
