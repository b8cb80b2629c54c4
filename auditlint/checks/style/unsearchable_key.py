"""AL907: a key that the kernel writes in hexadecimal."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, RulesContext, at_number

_ESCAPED = re.compile(r'["\x02-\x20\x7f-\U0010ffff]')
"""What the kernel does not write as it is; 0x01 stands between several keys, which is another check's matter."""


def check(context: RulesContext) -> Hits:
    for rule, entry in context.with_field("key"):
        found = _ESCAPED.search(rule.key or "")
        if found is None:
            continue
        number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
        what = {" ": "a blank", '"': "a quote"}.get(found[0], "a byte that is not printable ASCII")
        message = f"the key holds {what}: the kernel writes it in hexadecimal, and text search does not find it"
        yield Hit(at_number(entry, number), message)
