"""AL224: always on the user list."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.list_order import kernel_order
from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.kernel.exclude import KNOWN_FIELDS


def check(context: RulesContext) -> Hits:
    useful = False
    for rule, entry in reversed(kernel_order(context.on_list("user"))):
        if rule.action == "never":
            useful = True  # those in front of it are exceptions
        elif not useful and rule.fields and all(field.name in KNOWN_FIELDS for field in rule.fields):
            message = "messages of programs are recorded without a rule, and no never rule comes after this one"
            fix = removal(context, entry)
            yield Hit(at_line(entry), f"the rule has no effect: {message}", (), fix)
