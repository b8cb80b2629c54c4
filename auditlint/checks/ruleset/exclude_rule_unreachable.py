"""AL309: a rule on the exclude or user list after one that decides all its records."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.rule_pairs import names, shadows
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, related


def check(context: RulesContext) -> Hits:
    for shadow in shadows(context, ("exclude", "user")):
        entry = entry_of(shadow.stored)
        message = f"unreachable: every record it matches is already decided by {names(context, shadow.by)}"
        fix = removal(context, entry, by=shadow.by)
        yield Hit(at_line(entry), message, related(context, shadow.by, "decides its records"), fix)
