"""AL806: a value is given for a symbol that nobody can set, and it comes out otherwise."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at, severity
from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    for drop in context.dropped("no-prompt", "choice"):
        if drop.blame and drop.reason == "no-prompt":
            continue  # dependency-missing names what to turn on
        symbol = drop.assignment.symbol
        guess = context.assumed("arch")  # the value may differ elsewhere, the missing prompt does not
        yield Hit(
            at(drop.assignment),
            f"{asked(drop.assignment)} is silently ignored in {context.where}: {drop.why}",
            severity="advice" if guess and symbol.startswith(("AUDIT_", "HAVE_")) else severity(symbol),
        )
