"""AL240: arch on the io_uring list."""

from __future__ import annotations

from auditlint.analysis.rule_fields import without
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("io_uring"):
        for number, field in enumerate(rule.fields):
            if field.name != "arch":
                continue
            result = "false" if field.op == "=" else "true"
            message = f"{written(entry, number)} is {result} in worker and polling threads, which have no ABI"
            fix = without(context, entry, number, "unsafe", "Remove arch")
            yield Hit(at_number(entry, number), message, (), fix)
