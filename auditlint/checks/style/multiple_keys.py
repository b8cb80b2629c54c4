"""AL902: several keys in one rule."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number

_JOINT = "\x01"


def check(context: RulesContext) -> Hits:
    for rule, entry in context.with_field("key"):
        keys = (rule.key or "").split(_JOINT)
        if len(keys) < 2:
            continue
        number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
        message = (
            f"text search misses the {len(keys)} keys ({', '.join(keys)}): the log holds them as one hexadecimal text"
        )
        yield Hit(at_number(entry, number), message)
