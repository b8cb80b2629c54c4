"""AL127: no such error name."""

from __future__ import annotations

from auditlint.analysis.unknown_names import unknown
from auditlint.checks.api import Hits, RulesContext


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import error_numbers

    yield from unknown(context, "unknown-errno", "unknown error", error_numbers(), "-")
