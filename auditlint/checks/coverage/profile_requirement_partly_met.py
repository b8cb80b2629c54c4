"""AL432: the profile wants events of which the rules record a part."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_start, entry_of, own, related

_MOST_NAMED = 3


def check(context: RulesContext) -> Hits:
    for each in context.get(requirement_results):
        if not each.absent or not each.by:
            continue
        first = each.by[0]
        at = at_line(entry_of(first)) if own(context, first) else at_start(context.program.sources[0])
        shown = " | ".join(each.rest[:_MOST_NAMED])
        more = f" and {len(each.rest) - _MOST_NAMED} more" if len(each.rest) > _MOST_NAMED else ""
        wanted = each.requirement
        record = "records" if len(each.by) == 1 else "record"
        message = f"{wanted.id} {wanted.title}: {names(context, each.by)} {record} a part; not recorded: {shown}{more}"
        yield Hit(at, message, related(context, each.by[1:], "records a part"))
