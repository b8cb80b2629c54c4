"""AL009: a file of rules.d that augenrules does not read."""

from __future__ import annotations

from auditlint.context.rules import at_start
from auditlint.core.findings import Hit
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    program = context.program
    folder = next((source.path.rpartition("/")[0] for source in program.sources), "")
    for left in program.left_out:
        path = f"{folder}/{left.name}" if folder else left.name
        yield Hit(at_start(Source(path, b"")), f"augenrules does not read this file: {left.reason}")
