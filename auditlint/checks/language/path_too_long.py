"""AL147: a path that is too long."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "path-too-long"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
