"""AL811: two lines of one file set a symbol differently."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at
from auditlint.checks.api import ConfigContext, Hit, Hits, Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kconfig.model import Assignment


def check(context: ConfigContext) -> Hits:
    for file in context.files:
        before: dict[str, Assignment] = {}
        for assignment in file.assignments.of(context.evaluation.symbols):
            earlier = before.get(assignment.symbol)
            if earlier is not None and earlier.value != assignment.value:
                yield Hit(
                    at(earlier),
                    f"{asked(earlier)} has no effect: line {assignment.line} sets {asked(assignment)}",
                    (Location(assignment.source, assignment.span, "the later line"),),
                )
            before[assignment.symbol] = assignment
