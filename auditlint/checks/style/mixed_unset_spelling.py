"""AL905: unset in several spellings."""

from __future__ import annotations

import re

from auditlint.analysis.rule_fields import source_of
from auditlint.analysis.same_rule import same_rule
from auditlint.auditctl.model import UNSET
from auditlint.checks.api import Entry, Hit, Hits, RulesContext, at_number, fields_named, line_bytes, offset

_SPELLED = re.compile(rb"(?:auid|loginuid|sessionid)[!=<>]+(unset|-1|4294967295)(?= |\Z)", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    found: dict[str, list[tuple[Entry, int]]] = {}
    for _, entry, number, field in fields_named(context, "auid", "sessionid"):
        if field.value == UNSET:
            spelled = {text.lower().decode() for text in _SPELLED.findall(line_bytes(entry))}
            if len(spelled) == 1:
                found.setdefault(spelled.pop(), []).append((entry, number))
    if len(found) < 2:
        return
    usual = max(found, key=lambda word: (len(found[word]), word == "unset"))
    for word, places in found.items():
        for entry, number in places if word != usual else ():
            source = source_of(entry, number)
            if source is not None:
                start, end = (offset(entry, place) for place in source.value_span)
                line = line_bytes(entry)
                text = line[:start] + usual.encode() + line[end:]
                fix = same_rule(context, entry, f"Write {usual}", text)
                yield Hit(
                    at_number(entry, number), f"{word} is the same value as {usual}, which other rules use", (), fix
                )
