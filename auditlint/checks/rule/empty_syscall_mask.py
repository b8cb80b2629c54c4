"""AL241: -S that names no system call."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal_of_mistake
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_span


def check(context: RulesContext) -> Hits:
    for name in ("exit", "io_uring"):
        for rule, entry in context.on_list(name):
            if not rule.mask:
                option = next((option for option in entry.line.options if option.name == "-S"), None)
                at = at_line(entry) if option is None else at_span(entry, option.span)
                fix = removal_of_mistake(context, entry)
                yield Hit(at, "the rule never matches: -S names no system call", (), fix)
