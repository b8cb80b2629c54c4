"""AL433: a rule records what the profile wants, but an earlier `never` rule drops some of the events."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_start, entry_of, own, related


def check(context: RulesContext) -> Hits:
    broken = [result for result in context.get(requirement_results) if result.nevers]
    for never in dict.fromkeys(result.nevers[0] for result in broken):
        wanted = [result for result in broken if result.nevers[0] == never]
        ids = ", ".join(result.requirement.id for result in wanted)
        recorders = tuple({stored.index: stored for result in wanted for stored in result.by}.values())
        at = at_line(entry_of(never)) if own(context, never) else at_start(context.program.sources[0])
        require = "requires" if len(wanted) == 1 else "require"
        message = f"drops events that {ids} {require}, before {names(context, recorders)} can record them"
        yield Hit(at, message, related(context, recorders, "records the others"))
