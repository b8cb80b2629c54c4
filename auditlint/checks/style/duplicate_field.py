"""AL913: the same condition twice in one rule."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number, without, written
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry in context.rules:
        if len(set(rule.fields)) == len(rule.fields):
            continue
        number = next(number for number, field in enumerate(rule.fields) if field in rule.fields[:number])
        fix = without(context, entry, number, None, "Drop the second one")
        yield Hit(at_number(entry, number), f"{written(entry, number)} stands there twice", (), fix)
