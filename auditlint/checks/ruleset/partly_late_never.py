"""AL306: a `never` rule that comes too late for some of its events."""

from __future__ import annotations

from auditlint.analysis.late_nevers import late_nevers
from auditlint.analysis.rule_pairs import names, prepended
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related


def check(context: RulesContext) -> Hits:
    for late in context.get(late_nevers):
        if not late.dead and own(context, late.stored):
            records = "records" if len(late.recorded_by) == 1 else "record"
            message = f"silences only some events: {names(context, late.recorded_by)} {records} those that both match"
            others = related(context, late.recorded_by, "records first")
            yield Hit(at_line(entry_of(late.stored)), message, others, prepended(context, late.stored))
