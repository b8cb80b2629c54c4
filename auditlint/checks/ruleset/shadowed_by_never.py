"""AL304: an `always` rule that records nothing, because `never` rules decide its events first."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import REPLACED, TREE, names, shadows
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, related


def check(context: RulesContext) -> Hits:
    for shadow in shadows(context):
        rule = shadow.stored.rule
        nevers = [by for by in shadow.by if by.rule.action == "never"]
        if rule.action != "always" or not nevers:
            continue
        message = f"records nothing: every event it matches is already taken by {names(context, shadow.by)}"
        if len(nevers) < len(shadow.by):
            message += f"; {names(context, nevers)} {'drops' if len(nevers) == 1 else 'drop'} theirs"
        if shadow.until_replaced:
            message += REPLACED
        if shadow.tree:
            message += TREE.format(shadow.tree)
        yield Hit(at_line(entry_of(shadow.stored)), message, related(context, shadow.by, "takes its events"))
