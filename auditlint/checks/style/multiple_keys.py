"""AL902: several keys in one rule."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext

_JOINT = "\x01"


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry in context.with_field("key"):
        keys = (rule.key or "").split(_JOINT)
        if len(keys) < 2:
            continue
        number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
        message = f"{len(keys)} keys ({', '.join(keys)}) are one hexadecimal text in the log, which text search misses"
        yield Hit(at_number(entry, number), message)
