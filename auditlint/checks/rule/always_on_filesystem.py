"""AL225: always on the filesystem list."""

from __future__ import annotations

from auditlint.analysis.list_order import at_list, with_action
from auditlint.checks.api import Hit, Hits, RulesContext


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("filesystem"):
        if rule.action == "always" and rule.get("fstype") is not None:
            message = "the rule has no effect: the filesystem list only excludes file systems, with never"
            yield Hit(at_list(entry), message, (), with_action(context, entry, "unsafe", "always", "never"))
