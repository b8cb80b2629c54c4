"""AL104: a line that starts with a program name."""

from __future__ import annotations

from auditlint.analysis.pasted_text import PROGRAM
from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "program-name-in-line"):
        text = line_bytes(entry)
        found = PROGRAM.match(text)
        assert found is not None
        name = found[0].strip(b" ").decode()
        start = entry.line.span[0]
        fix = rewritten(context, entry, "safe", f"Remove {name}", text[found.end() :])
        at = at_span(entry, (start, start + len(found[0].rstrip(b" "))))
        yield refusal(context, entry, f"a rule file contains only options, without {name}", fix, at)
