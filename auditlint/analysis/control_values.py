"""Control options: which value counts in the end."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Option
    from auditlint.context.rules import RulesContext


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
