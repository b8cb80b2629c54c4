"""AL137: -d or -W for a rule that is not loaded."""

from __future__ import annotations

from auditlint.checks._load import place, refusal
from auditlint.subjects import at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.language.model import Rule
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject

_PLACES = ("path", "dir", "exe")


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("delete-finds-nothing"):
        near = _nearest(subject, entry)
        what, related = "no such rule is loaded", ()
        if near is not None:
            what += f"; the one in {place(near, subject.program)} differs"
            yield refusal(subject, entry, what, None, at_line(entry), (at_line(near, "differs"),))
            continue
        yield refusal(subject, entry, what, None, at_line(entry), related)


def _nearest(subject: RulesSubject, entry: Entry) -> Entry | None:
    """An earlier rule for the same place, or for the same system calls."""
    wanted = entry.line.rule
    if wanted is None:
        return None
    for rule, other in subject.rules:
        if other is entry:
            break
        if _same_place(rule, wanted):
            return other
    return None


def _same_place(rule: Rule, wanted: Rule) -> bool:
    places = [field.value for field in wanted.fields if field.name in _PLACES]
    if places:
        return places == [field.value for field in rule.fields if field.name in _PLACES]
    return rule.list == wanted.list and rule.mask == wanted.mask
