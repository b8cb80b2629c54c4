"""AL433: a rule records what the profile wants, and an earlier one takes some of the events first."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_start, entry_of, own, related


def check(context: RulesContext) -> Hits:
    broken = [each for each in context.get(requirement_results) if each.nevers]
    for never in dict.fromkeys(each.nevers[0] for each in broken):
        wanted = [each for each in broken if each.nevers[0] == never]
        ids = ", ".join(each.requirement.id for each in wanted)
        recorders = tuple({stored.index: stored for each in wanted for stored in each.by}.values())
        at = at_line(entry_of(never)) if own(context, never) else at_start(context.program.sources[0])
        ask = "asks" if len(wanted) == 1 else "ask"
        message = f"takes events that {ids} {ask} for, before {names(context, recorders)} can record them"
        yield Hit(at, message, related(context, recorders, "records the others"))
