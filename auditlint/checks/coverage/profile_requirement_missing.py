"""AL431: the profile wants events that no rule records."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.checks.api import Hit, Hits, RulesContext, at_start


def check(context: RulesContext) -> Hits:
    for each in context.get(requirement_results):
        if each.absent and not each.by:
            wanted = each.requirement
            message = f"{wanted.id} {wanted.title}: no rule records this; it asks for `{each.absent[0]} -k {wanted.id}`"
            if len(each.absent) > 1:
                message += f" and {len(each.absent) - 1} more (at the end of the report)"
            yield Hit(at_start(context.program.sources[0]), message)
