"""AL124: an operator that its field does not take."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "operator-not-allowed"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
