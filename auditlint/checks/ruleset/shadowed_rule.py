"""AL303: an unreachable rule: others with the same action decide all its events first."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.rule_pairs import REPLACED, TREE, names, shadows
from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_line, entry_of, related


def check(context: RulesContext) -> Hits:
    for shadow in shadows(context):
        rule = shadow.stored.rule
        if any(by.rule.action != rule.action for by in shadow.by):
            continue
        entry = entry_of(shadow.stored)
        message = f"unreachable: every event it matches is already taken by {names(context, shadow.by)}"
        if rule.action == "always" and rule.key is not None and all(by.rule.key != rule.key for by in shadow.by):
            keys = list(dict.fromkeys((by.rule.key or "no key").replace("\x01", ", ") for by in shadow.by))
            with_key = "another key" if len(keys) > 1 else keys[0] if keys == ["no key"] else f"the key {keys[0]}"
            message += f", with {with_key} instead of {rule.key}".replace("\x01", ", ")
        if shadow.until_replaced:
            message += REPLACED
        fix = removal(context, entry, by=shadow.by)
        if shadow.tree:
            message += TREE.format(shadow.tree)
            fix = None if fix is None else Fix("unsafe", fix.title, fix.edits)
        yield Hit(at_line(entry), message, related(context, shadow.by, "takes its events"), fix)
