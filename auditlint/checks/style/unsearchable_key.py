"""AL907: a key that the kernel writes in hexadecimal."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, RulesContext, at_number

_ESCAPED = re.compile(r'["\x02-\x20\x7f-\U0010ffff]')
"""What the kernel does not write literally; 0x01 separates several keys, which another check reports."""


def check(context: RulesContext) -> Hits:
    for rule, entry in context.with_field("key"):
        found = _ESCAPED.search(rule.key or "")
        if found is None:
            continue
        number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
        content = {" ": "a blank", '"': "a quote"}.get(found[0], "a byte that is not printable ASCII")
        message = f"text search does not find the key: it holds {content}, so the kernel writes it in hexadecimal"
        yield Hit(at_number(entry, number), message)
