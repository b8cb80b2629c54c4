"""AL127: no such error name."""

from __future__ import annotations

from auditlint.analysis.unknown_names import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    from auditlint.auditctl.tables import error_numbers

    yield from unknown(context, "unknown-errno", "unknown error", error_numbers(), "-")
