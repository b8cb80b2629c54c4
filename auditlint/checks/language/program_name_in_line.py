"""AL104: a line that starts with a program name."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.pasted_text import PROGRAM
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "program-name-in-line"):
        text = line_bytes(entry)
        found = PROGRAM.match(text)
        assert found is not None
        name = found[0].strip(b" ").decode()
        start = entry.line.span[0]
        fix = rewritten(context, entry, "safe", f"Remove {name}", text[found.end() :])
        at = at_span(entry, (start, start + len(found[0].rstrip(b" "))))
        yield refusal(context, entry, f"a rules file holds options only, without {name} in front", fix, at)
