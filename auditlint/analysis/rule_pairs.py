"""Pairs of rules: which of two the kernel tests first, and how messages name a rule."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import place
from auditlint.analysis.rule_fields import changed
from auditlint.analysis.trial_parse import reread
from auditlint.context.rules import at_line
from auditlint.core.findings import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix
    from auditlint.core.source import Location
    from auditlint.kernel.shadow import Shadow
    from auditlint.kernel.storage import Stored

_MOST_NAMED = 4
REPLACED = "; when the file is replaced, the order of its rules reverses"
TREE = "; except what is mounted below {} later, or a file that also has a name outside"


def entry_of(stored: Stored) -> Entry:
    """The line of a rule that was loaded from one."""
    assert stored.entry is not None
    return stored.entry


def own(context: RulesContext, stored: Stored) -> bool:
    """Is the rule in the user's files? Otherwise it was in the kernel before the load."""
    return entry_of(stored).at.source in context.program.sources


def name(context: RulesContext, stored: Stored) -> str:
    """`line 3`, `10-a.rules:3`, or `a rule loaded before`."""
    if not own(context, stored):
        return "a rule loaded before"
    return place(entry_of(stored), context.program)


def names(context: RulesContext, rules: Sequence[Stored]) -> str:
    """Several rules: `line 3 and line 5`, cut after a few."""
    shown = [name(context, stored) for stored in rules[:_MOST_NAMED]]
    more = len(rules) - len(shown)
    if more:
        shown.append(f"{more} more")
    return listed(shown)


def more(count: int, noun: str) -> str:
    """` (and 3 more rules)`, or nothing for 0."""
    return f" (and {count} more {noun}{'' if count == 1 else 's'})" if count else ""


def related(context: RulesContext, rules: Sequence[Stored], message: str) -> tuple[Location, ...]:
    """The lines of the other rules involved."""
    return tuple(at_line(entry_of(stored), message) for stored in rules[:_MOST_NAMED] if own(context, stored))


def before(first: Stored, later: Stored) -> bool:
    """Does the kernel test the first rule before the later one? Priority decides across exit list and inode hash."""
    return first.prio > later.prio if first.prio != later.prio else first.position < later.position


def prepended(context: RulesContext, stored: Stored) -> Fix | None:
    """The fix that loads a rule with -A, which puts it first on its list."""
    entry = entry_of(stored)
    option = next((option for option in entry.line.options if option.name == "-a"), None)
    if option is None:
        return None
    text = line_bytes(entry)
    start = offset(entry, option.span[0])
    text = text[:start] + b"-A" + text[start + 2 :]
    if [request.kind for request in reread(context, text).line.requests] != ["add"]:
        return None  # some releases delete a rule here
    return changed(context, entry, "unsafe", "Write -A instead of -a, which puts the rule first", text)


def shadows(context: RulesContext, lists: Sequence[str] = ("exit", "io_uring", "task")) -> Iterator[Shadow]:
    """The unreachable rules of the user's files on these lists, without rules repeated by -A (AL302 reports those)."""
    for shadow in context.shadows:
        rule, other = shadow.stored.rule, shadow.by[0].rule
        again = (
            other.prepend and rule.fields == other.fields and rule.mask == other.mask and rule.action == other.action
        )
        if rule.list in lists and own(context, shadow.stored) and not (again and len(shadow.by) == 1):
            yield shadow
