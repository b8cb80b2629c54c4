"""AL304: an `always` rule that records nothing, because `never` rules decide its events first."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import REPLACED, TREE, entry_of, names, related, shadows
from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for shadow in shadows(context):
        rule = shadow.stored.rule
        nevers = [by for by in shadow.by if by.rule.action == "never"]
        if rule.action != "always" or not nevers:
            continue
        message = f"records nothing: every event it matches is already taken by {names(context, shadow.by)}"
        if len(nevers) < len(shadow.by):
            message += f"; {names(context, nevers)} {'drops' if len(nevers) == 1 else 'drop'} theirs"
        if shadow.until_replaced:
            message += REPLACED
        if shadow.tree:
            message += TREE.format(shadow.tree)
        yield Hit(at_line(entry_of(shadow.stored)), message, related(context, shadow.by, "takes its events"))
