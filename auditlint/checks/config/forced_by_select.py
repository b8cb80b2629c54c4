"""AL805: a symbol is refused, and another one selects it."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at, severity
from auditlint.checks.api import ConfigContext, Hit, Hits, Location


def check(context: ConfigContext) -> Hits:
    for drop in context.dropped("selected"):
        related = tuple(
            Location(line.source, line.span, f"{symbol} selects {drop.assignment.symbol}")
            for symbol in drop.blame
            if (line := context.request(symbol)) is not None
        )
        tail = ""
        if drop.assignment.symbol == "AUDIT" and context.on("AUDITSYSCALL") and context.kernel_at_least("4.5"):
            tail = "; boot with audit=0 to save the cost of the AUDITSYSCALL that comes with it"
        yield Hit(
            at(drop.assignment),
            f"{asked(drop.assignment)} has no effect in {context.where}: {drop.why}{tail}",
            related,
            severity=severity(drop.assignment.symbol),
        )
