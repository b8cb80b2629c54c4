"""AL431: the profile wants events that no rule records."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.checks.api import Hit, Hits, RulesContext, at_start


def check(context: RulesContext) -> Hits:
    for result in context.get(requirement_results):
        if result.absent and not result.by:
            wanted = result.requirement
            message = f"no rule records {wanted.id} ({wanted.title}); add `{result.absent[0]} -k {wanted.id}`"
            if len(result.absent) > 1:
                message += f" and {len(result.absent) - 1} more (at the end of the report)"
            yield Hit(at_start(context.program.sources[0]), message)
