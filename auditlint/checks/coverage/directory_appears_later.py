"""AL413: -w on a directory that does not exist when the rules are loaded."""

from __future__ import annotations

from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    from auditlint.auditctl.tables import usual_directories

    for option, entry in context.options("-w"):
        text = option.arg or ""
        path = text.rstrip("/")
        if entry.verdict != "rule" or path not in context.facts.paths_missing:
            continue
        if text.endswith(("/", ".d")) or path in usual_directories():
            message = f"records nothing inside {path} once it is created: it does not exist, so -w watches a file"
            yield Hit(at_line(entry), message)
