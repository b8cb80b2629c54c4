"""The level of replacing a line by another text: safe where it is proved that no event changes, else unsafe."""

from __future__ import annotations

from auditlint.analysis.trial_parse import reread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import FixLevel


def level_of(context: RulesContext, entry: Entry, text: bytes) -> FixLevel:
    """The level of replacing the line by `text`, which is known to be accepted."""
    from auditlint.kernel.equivalence import stands_for

    rules = [rule for line in text.split(b"\n") if (rule := reread(context, line).line.rule) is not None]
    if entry.rule is None or deletes_rules(context):
        return "unsafe"
    return "safe" if rules == [entry.rule] or stands_for(context.algebra, entry.rule, rules) else "unsafe"


def deletes_rules(context: RulesContext) -> bool:
    """Is there a line that deletes rules one by one or by key? It needs them as they are."""
    if "-d" in context.by_option or "-W" in context.by_option:
        return True
    return any(
        request.kind == "delete-all" and request.key is not None
        for entry in context.by_option.get("-D", ())
        for request in entry.line.requests
    )
