"""Control options: which value counts in the end, and whether a file is meant to be a whole rule set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Option
    from auditlint.context.rules import RulesContext

_SETTINGS = ("-b", "-f", "-r")


def setting(context: RulesContext, option: str, name: str) -> tuple[Option, Entry, int] | None:
    """The last accepted line that sets a value (`-f`, `failure`), and the value; None when no line does."""
    found = None
    for each, entry in context.options(option):
        if entry.verdict != "control":
            continue
        for request in entry.line.requests:
            value = (request.control or {}).get(name)
            if isinstance(value, int) and request.span[0] == each.span[0]:
                found = each, entry, value
    return found


def is_whole(context: RulesContext) -> bool:
    """Whether the input is meant to be all that is loaded: rules, and a start of its own.

    A file with nothing but rules may be one of several in rules.d.
    """
    if not context.rules:
        return False
    if context.program.is_directory:
        return True
    return "-D" in context.by_option and any(name in context.by_option for name in _SETTINGS)
