"""AL810: a value that does not fit the type of the symbol."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, at
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.config import ConfigContext


def check(context: ConfigContext) -> Iterator[Hit]:
    for drop in context.dropped("invalid"):
        outcome = "has no value" if drop.value is None else f"is {drop.value}"
        yield Hit(
            at(drop.assignment),
            f"{asked(drop.assignment)} is ignored, and the symbol {outcome} in {context.where}: {drop.why}",
        )
