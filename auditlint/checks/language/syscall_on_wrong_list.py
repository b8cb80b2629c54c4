"""AL118: -S on a list without system calls."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "syscall-on-wrong-list"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message)
