"""AL012: -D with other options on its line."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes, words
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.context.rules import at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "delete-all-not-alone"):
        problem = entry.problem
        crash = problem is not None and problem.status is not None and problem.status < 0
        what = "-D must be alone on its line (or be `-D -k KEY`)"
        if crash:
            what = "auditctl crashes on -D behind another option"
        text = line_bytes(entry)
        lines = []
        start = 0
        for at, end in words(text):
            if text[at:end] == b"-D":
                lines += [text[start:at].strip(b" "), b"-D"]
                start = end
        lines.append(text[start:].strip(b" "))
        split = b"\n".join(line for line in lines if line)
        fix = rewritten(context, entry, "safe", "One option a line", split)
        yield refusal(context, entry, what, fix, at_line(entry))
