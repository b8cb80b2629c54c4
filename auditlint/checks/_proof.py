"""The level of a fix that is meant to change no event: safe where that is proved, else unsafe."""

from __future__ import annotations

from auditlint.checks._edit import delete_line
from auditlint.checks._text import reread
from auditlint.findings import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.findings import FixLevel
    from auditlint.kernel.storage import Stored
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject


def level_of(subject: RulesSubject, entry: Entry, text: bytes) -> FixLevel:
    """The level of replacing the line by `text`, which is known to be accepted."""
    from auditlint.kernel.proof import stands_for

    rules = [rule for line in text.split(b"\n") if (rule := reread(subject, line).line.rule) is not None]
    if entry.rule is None or _deletes(subject):
        return "unsafe"
    return "safe" if rules == [entry.rule] or stands_for(subject.algebra, entry.rule, rules) else "unsafe"


def removal(
    subject: RulesSubject, entry: Entry, title: str = "Remove the rule", by: Sequence[Stored] = ()
) -> Fix | None:
    """The fix that takes out the line of a rule; `by` are rules that are known to take all its events. None for a line
    that augenrules glued together from several files."""
    if entry.parts:
        return None
    from auditlint.kernel.proof import removable

    stored = subject.stored_of.get(id(entry))
    proved = (
        stored is not None
        and not _deletes(subject)
        and all(each.entry is not None and each.entry.at.source in subject.program.sources for each in by)
        and removable(subject.algebra, stored, by)
    )
    return Fix("safe" if proved else "unsafe", title, (delete_line(entry),))


def _deletes(subject: RulesSubject) -> bool:
    """Is there a line that deletes rules one by one or by key? It needs them as they are."""
    if "-d" in subject.by_option or "-W" in subject.by_option:
        return True
    return any(
        request.kind == "delete-all" and request.key is not None
        for entry in subject.by_option.get("-D", ())
        for request in entry.line.requests
    )
