"""AL308: an `always` rule on the task list records every system call of the tasks."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related


def check(context: RulesContext) -> Hits:
    storage, algebra = context.storage, context.algebra
    nevers = [stored for stored in storage.rules if stored.rule.list == "exit" and stored.rule.action == "never"]
    for stored in storage.task:
        if stored.rule.action != "always" or not own(context, stored) or algebra.can_match(stored) is False:
            continue
        whose = "every task started after the load" if algebra.unconditional(stored) else "the tasks that match"
        message = f"records every system call of {whose}, whatever the exit rules say"
        if nevers:
            message += f", also {names(context, nevers)}"
        yield Hit(at_line(entry_of(stored)), message, related(context, nevers, "has no effect on these tasks"))
