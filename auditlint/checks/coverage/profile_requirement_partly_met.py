"""AL432: the profile wants events of which the rules record only some."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_start, entry_of, own, related

_MOST_NAMED = 3


def check(context: RulesContext) -> Hits:
    for result in context.get(requirement_results):
        if not result.absent or not result.by:
            continue
        first = result.by[0]
        at = at_line(entry_of(first)) if own(context, first) else at_start(context.program.sources[0])
        shown = " | ".join(result.rest[:_MOST_NAMED])
        more = f" and {len(result.rest) - _MOST_NAMED} more" if len(result.rest) > _MOST_NAMED else ""
        wanted = result.requirement
        record = "records" if len(result.by) == 1 else "record"
        message = (
            f"{names(context, result.by)} {record} only part of {wanted.id} ({wanted.title}); not recorded: "
            f"{shown}{more}"
        )
        yield Hit(at, message, related(context, result.by[1:], "records a part"))
