"""AL143: a list, field or operator that the kernel does not know yet."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "kernel-too-old"):
        assert entry.problem is not None
        yield refusal(context, entry, f"{entry.problem.message}; a newer kernel accepts it")
