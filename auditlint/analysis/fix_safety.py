"""The level of a fix that is meant to change no event: safe where that is proved, else unsafe."""

from __future__ import annotations

from auditlint.analysis.fix_level import deletes_rules
from auditlint.analysis.line_edits import delete_line, with_comment
from auditlint.analysis.rule_fields import changed
from auditlint.analysis.trial_parse import reread
from auditlint.core.findings import Edit, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.context.rules import RulesContext
    from auditlint.kernel.storage import Stored


def removal(
    context: RulesContext, entry: Entry, title: str = "Remove the rule", by: Sequence[Stored] = ()
) -> Fix | None:
    """The fix that takes out the line of a rule; `by` are rules that are known to take all its events. None for a line
    that augenrules glued together from several files."""
    if entry.parts:
        return None
    from auditlint.kernel.equivalence import removable

    stored = context.stored_of.get(id(entry))
    proved = (
        stored is not None
        and not deletes_rules(context)
        and all(each.entry is not None and each.entry.at.source in context.program.sources for each in by)
        and removable(context.algebra, stored, by)
    )
    start, end = with_comment(entry)
    return Fix("safe" if proved else "unsafe", title, (Edit(entry.at.source, start, end, b""),))


def removal_of_mistake(context: RulesContext, entry: Entry) -> Fix | None:
    """The fix that takes out a rule which never matches. Nothing that is recorded changes, but nobody writes such a
    rule on purpose: what was meant would be lost with it. So it is never safe."""
    fix = removal(context, entry)
    return None if fix is None else Fix("unsafe", fix.title, fix.edits)


def merging(context: RulesContext, rules: Sequence[Stored], title: str, text: bytes, wanted: Rule) -> Fix | None:
    """The fix that puts one rule at the place of the first of these and takes out the others; `wanted` has the events
    of all of them. None when `text` is read as another rule."""
    from auditlint.kernel.equivalence import may_move_up

    entries = [each.entry for each in rules if each.entry is not None]
    first = entries[0]
    if len(entries) < len(rules) or any(entry.parts for entry in entries) or reread(context, text).line.rule != wanted:
        return None
    fix = changed(context, first, "unsafe", title, text)
    if fix is None:
        return None
    proved = not deletes_rules(context) and may_move_up(context.algebra, rules[0], rules[1:])
    return Fix("safe" if proved else "unsafe", title, (*fix.edits, *(delete_line(entry) for entry in entries[1:])))
