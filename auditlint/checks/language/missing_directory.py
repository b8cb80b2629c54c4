"""AL136: a rule on a path whose directory does not exist."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "missing-directory"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
