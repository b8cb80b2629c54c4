"""AL128: no such record type."""

from __future__ import annotations

from auditlint.analysis.unknown_names import unknown
from auditlint.checks.api import Hits, RulesContext


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import record_types

    yield from unknown(context, "unknown-record-type", "unknown record type", record_types(context.target.auditctl))
