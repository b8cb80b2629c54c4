"""AL433: a rule records what the profile wants, and an earlier one takes some of the events first."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import entry_of, names, own, related
from auditlint.context.rules import at_line, at_start
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    broken = [each for each in context.get(requirement_results) if each.nevers]
    for never in dict.fromkeys(each.nevers[0] for each in broken):
        wanted = [each for each in broken if each.nevers[0] == never]
        ids = ", ".join(each.requirement.id for each in wanted)
        recorders = tuple({stored.index: stored for each in wanted for stored in each.by}.values())
        at = at_line(entry_of(never)) if own(context, never) else at_start(context.program.sources[0])
        ask = "asks" if len(wanted) == 1 else "ask"
        message = f"takes events that {ids} {ask} for, before {names(context, recorders)} can record them"
        yield Hit(at, message, related(context, recorders, "records the others"))
