"""AL911: a key on a rule that records nothing."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number, without
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for name in ("exit", "io_uring"):
        for rule, entry in context.on_list(name):
            if rule.action != "never" or rule.key is None:
                continue
            number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
            fix = without(context, entry, number, None, "Drop the key")
            message = "a never rule records nothing, so its key is in no event; only auditctl -D -k uses it"
            yield Hit(at_number(entry, number), message, (), fix)
