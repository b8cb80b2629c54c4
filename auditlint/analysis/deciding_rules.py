"""The rules that decide about some event."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.rules import RulesContext
    from auditlint.kernel.storage import Stored


def deciding_rules(context: RulesContext) -> list[Stored]:
    """The rules of the user's files that decide about some event, in load order."""
    dead = {shadow.stored.index for shadow in context.shadows}
    can_match = context.algebra.can_match
    return [
        stored
        for stored in context.storage.rules
        if stored.index not in dead and own(context, stored) and can_match(stored) is not False
    ]
