"""AL150: refused by the kernel for another reason."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "refused-by-kernel"):
        why = entry.problem.message if entry.problem is not None else "the kernel refuses this line"
        yield refusal(context, entry, why)
