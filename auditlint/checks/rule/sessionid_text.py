"""AL208: a session id that is no number."""

from __future__ import annotations

from auditlint.analysis.rule_fields import source_of
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named


def check(context: RulesContext) -> Hits:
    for _, entry, number, field in fields_named(context, "sessionid"):
        source = source_of(entry, number) if field.value == 0 else None
        if source is not None and not source.text.lstrip("-")[:1].isdigit():
            message = (
                f"auditctl reads {source.text} as 0, which no session has: sessionid accepts only numbers or unset"
            )
            yield Hit(at_number(entry, number), message)
