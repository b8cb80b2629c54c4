"""AL432: the profile wants events of which the rules record only some."""

from __future__ import annotations

from auditlint.analysis.profile_coverage import requirement_results
from auditlint.analysis.rule_pairs import entry_of, names, own, related
from auditlint.context.rules import at_line, at_start
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext

_MOST_NAMED = 3


def check(context: RulesContext) -> Iterator[Hit]:
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
