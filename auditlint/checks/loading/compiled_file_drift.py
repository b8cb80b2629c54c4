"""AL018: hand edits in the audit.rules that augenrules writes."""

from __future__ import annotations

from collections import Counter

from auditlint.checks.api import Hit, Hits, Location, RulesContext, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: RulesContext) -> Hits:
    installed = context.program.installed
    if installed is None:
        return
    written = Counter(text for text, _ in _lines(context.program.merged))
    for text, number in _lines(installed):
        if written[text] > 0:
            written[text] -= 1
            continue
        message = "the next run of augenrules removes this line: no file of rules.d has it"
        yield Hit(Location(installed, installed.line_span(number)), message)


def _lines(source: Source) -> Iterator[tuple[bytes, int]]:
    """The lines that are neither blank nor comment, blanks made even, with their numbers."""
    for number, line in enumerate(source.data.split(b"\n"), 1):
        text = b" ".join(line.split())
        if text and not text.startswith(b"#"):
            yield text, number
