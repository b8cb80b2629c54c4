"""AL307: a `never` rule on the task list leaves tasks without an audit context."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hit, Hits, RulesContext, Severity, at_line, delete_line, entry_of, own


def check(context: RulesContext) -> Hits:
    storage, algebra = context.storage, context.algebra
    waiting = [
        stored
        for stored in storage.rules
        if stored.rule.list in ("exit", "io_uring") and stored.rule.action == "always"
    ]
    for stored in storage.task:
        if stored.rule.action != "never" or not own(context, stored) or algebra.can_match(stored) is False:
            continue
        severity: Severity = "advice"
        if algebra.unconditional(stored):
            message = "every task made after the load has no audit context"
            if waiting:
                severity = "error"
                rules = "rule" if len(waiting) == 1 else f"{len(waiting)} rules"
                message += f"; no such task matches the {rules} for system calls"
            else:
                message += "; no rule for system calls or files matches it"
            fix = None if entry_of(stored).parts else Fix("unsafe", "Remove the rule", (delete_line(entry_of(stored)),))
            yield Hit(at_line(entry_of(stored)), message, (), fix, severity)
            return
        message = (
            "a task made by a matching one is never audited, also after setuid or login; its children are judged anew"
        )
        yield Hit(at_line(entry_of(stored)), message, (), None, severity)
