"""AL808: a symbol that this kernel no longer has."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import at
from auditlint.checks.api import ConfigContext, Hit, Hits
from auditlint.core.data import rows


def check(context: ConfigContext) -> Hits:
    if context.resolved:
        return
    gone = {symbol: (line, instead) for symbol, line, instead in rows("obsolete-symbols.tsv")}
    for file in context.files:
        for assignment in file.assignments.of(gone):
            line, instead = gone[assignment.symbol]
            if context.kernel_at_least(line):
                yield Hit(
                    at(assignment),
                    f"this line has no effect in {context.where}: {assignment.symbol} was removed in Linux {line}; "
                    f"{instead}",
                    severity="advice" if assignment.value.startswith("n") else None,
                )
