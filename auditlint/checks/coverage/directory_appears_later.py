"""AL413: -w on a directory that does not exist when the rules are loaded."""

from __future__ import annotations

from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    from auditlint.auditctl.tables import usual_directories

    for option, entry in subject.options("-w"):
        text = option.arg or ""
        path = text.rstrip("/")
        if entry.verdict != "rule" or path not in subject.facts.paths_missing:
            continue
        if text.endswith(("/", ".d")) or path in usual_directories():
            message = f"{path} does not exist: the watch is one of a file, and sees nothing in a directory made later"
            yield Hit(at_line(entry), message)
