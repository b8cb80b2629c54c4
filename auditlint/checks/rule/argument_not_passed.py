"""AL245: an argument that the system call does not have."""

from __future__ import annotations

from auditlint.analysis.call_arguments import judged_arguments
from auditlint.analysis.rule_fields import at_number, written
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for each in judged_arguments(context):
        calls = each.calls("")
        if calls:
            verb = "has" if len(calls) == 1 else "have"
            message = (
                f"{written(each.entry, each.number)}: {', '.join(calls)} {verb} no {each.field.name}; "
                "what a register happens to hold is compared"
            )
            yield Hit(at_number(each.entry, each.number), message)
