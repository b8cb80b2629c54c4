"""AL307: a `never` rule on the task list, which leaves tasks without an audit context."""

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
            if waiting:
                severity = "error"
                rules = "rule" if len(waiting) == 1 else f"{len(waiting)} rules"
                message = f"the {rules} for system calls never match tasks started after the load"
                message = message if len(waiting) > 1 else message.replace("match", "matches")
            else:
                message = "no rule for system calls or files matches tasks started after the load"
            message += ": those tasks have no audit context"
            fix = None if entry_of(stored).parts else Fix("unsafe", "Remove the rule", (delete_line(entry_of(stored)),))
            yield Hit(at_line(entry_of(stored)), message, (), fix, severity)
            return
        message = "children of a matching task are never audited, not even after setuid or login; theirs may be"
        yield Hit(at_line(entry_of(stored)), message, (), None, severity)
