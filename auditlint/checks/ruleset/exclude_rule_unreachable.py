"""AL309: a rule on the exclude or user list behind one that takes all its records."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.rule_pairs import names, shadows
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, related


def check(context: RulesContext) -> Hits:
    for shadow in shadows(context, ("exclude", "user")):
        entry = entry_of(shadow.stored)
        ends = "ends" if len(shadow.by) == 1 else "end"
        message = f"is never reached: {names(context, shadow.by)} {ends} the walk for all its records"
        fix = removal(context, entry, by=shadow.by)
        yield Hit(at_line(entry), message, related(context, shadow.by, "ends the walk"), fix)
