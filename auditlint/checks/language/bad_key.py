"""AL114: a key that is too long or holds what it may not."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "bad-key"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.kind == "unknown-field":
            what = "the key contains !=, >=, <= or &=, where auditctl splits it"
        yield refusal(context, entry, what)
