"""AL402: a rule for 32-bit programs without one for 64-bit programs."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import missing_twins
from auditlint.checks.api import Hits, RulesContext


def check(context: RulesContext) -> Hits:
    return missing_twins(context, 64)
