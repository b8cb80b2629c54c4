"""AL810: a value that does not fit the type of the symbol."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at
from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    for drop in context.dropped("invalid"):
        outcome = "has no value" if drop.value is None else f"is {drop.value}"
        yield Hit(
            at(drop.assignment),
            f"{asked(drop.assignment)} is ignored, and the symbol {outcome} in {context.where}: {drop.why}",
        )
