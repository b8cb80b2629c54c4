"""Lists and actions of rules: the order in which the kernel tests them, and lines with another action."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.rule_fields import changed
from auditlint.context.rules import at_line, at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Option, Rule
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix, FixLevel
    from auditlint.core.source import Location


def kernel_order(rules: Sequence[tuple[Rule, Entry]]) -> list[tuple[Rule, Entry]]:
    """Rules of one list given in file order: those of -A first, the last one before the others."""
    front = [pair for pair in rules if pair[0].prepend]
    return [*reversed(front), *(pair for pair in rules if not pair[0].prepend)]


def at_list(entry: Entry) -> Location:
    """Where list and action are written, or the whole line."""
    option = _list_option(entry)
    return at_line(entry) if option is None else at_span(entry, option.span)


def with_action(context: RulesContext, entry: Entry, level: FixLevel | None, old: str, new: str) -> Fix | None:
    """The line with another action word."""
    option = _list_option(entry)
    if option is None or option.arg_span is None or entry.line.source.text(option.arg_span).count(old) != 1:
        return None
    text = line_bytes(entry)
    start = text.index(old.encode(), offset(entry, option.arg_span[0]))
    text = text[:start] + new.encode() + text[start + len(old) :]
    return changed(context, entry, level, f"Write {new} instead of {old}", text)


def _list_option(entry: Entry) -> Option | None:
    return next((option for option in entry.line.options if option.name in ("-a", "-A")), None)
