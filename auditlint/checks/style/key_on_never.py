"""AL911: a key on a rule that records nothing."""

from __future__ import annotations

from auditlint.analysis.rule_fields import without
from auditlint.checks.api import Hit, Hits, RulesContext, at_number


def check(context: RulesContext) -> Hits:
    for name in ("exit", "io_uring"):
        for rule, entry in context.on_list(name):
            if rule.action != "never" or rule.key is None:
                continue
            number = next(number for number, field in enumerate(rule.fields) if field.name == "key")
            fix = without(context, entry, number, None, "Remove the key")
            message = "a never rule records nothing, so its key is in no event; only auditctl -D -k uses it"
            yield Hit(at_number(entry, number), message, (), fix)
