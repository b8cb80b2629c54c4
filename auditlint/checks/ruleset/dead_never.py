"""AL305: a `never` rule behind the `always` rules that record what it was meant to silence."""

from __future__ import annotations

from auditlint.analysis.late_nevers import late_nevers
from auditlint.analysis.rule_pairs import in_front, names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related


def check(context: RulesContext) -> Hits:
    for late in context.get(late_nevers):
        if late.dead and own(context, late.stored):
            records = "records" if len(late.recorded_by) == 1 else "record"
            message = f"silences nothing: {names(context, late.recorded_by)} {records} the events first"
            others = related(context, late.recorded_by, "records first")
            yield Hit(at_line(entry_of(late.stored)), message, others, in_front(context, late.stored))
