"""AL806: a value is given for a symbol that nobody can set, and it comes out otherwise."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at, severity
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigContext


def check(context: ConfigContext) -> Iterator[Hit]:
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
