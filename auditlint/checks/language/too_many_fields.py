"""AL130: more than 63 fields."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "too-many-fields"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
