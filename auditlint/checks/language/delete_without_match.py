"""AL137: -d or -W for a rule that is not loaded."""

from __future__ import annotations

from auditlint.analysis.load_summary import place
from auditlint.checks.api import Entry, Hits, Location, Rule, RulesContext, at_line, caused, refusal

_PLACES = ("path", "dir", "exe")


def check(context: RulesContext) -> Hits:
    explained = {id(entry) for entry in caused(context, "delete-without-match")}
    seen: dict[object, Entry] = {}
    for entry in context.entries:
        rule = entry.line.rule
        if rule is None:
            continue
        if id(entry) not in explained:
            seen.setdefault(_aim(rule), entry)
            continue
        near = seen.get(_aim(rule))
        what = "nothing is deleted: no such rule is loaded"
        related: tuple[Location, ...] = ()
        if near is not None:
            what += f"; the one in {place(near, context.program)} differs"
            related = (at_line(near, "differs"),)
        yield refusal(context, entry, what, None, at_line(entry), related)


def _aim(rule: Rule) -> object:
    """What a rule is about: its places, or its list and system calls."""
    places = tuple(field.value for field in rule.fields if field.name in _PLACES)
    return places or (rule.list, rule.mask)
