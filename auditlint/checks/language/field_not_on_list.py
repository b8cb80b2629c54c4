"""AL123: a field that its list does not take."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "field-not-on-list"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
