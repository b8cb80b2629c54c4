"""AL128: no such record type."""

from __future__ import annotations

from auditlint.analysis.unknown_names import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    from auditlint.auditctl.tables import record_types

    yield from unknown(context, "unknown-record-type", "unknown record type", record_types(context.target.auditctl))
