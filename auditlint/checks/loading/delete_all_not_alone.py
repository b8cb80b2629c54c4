"""AL012: -D with other options on its line."""

from __future__ import annotations

from auditlint.analysis.line_text import words
from auditlint.checks.api import Hits, RulesContext, at_line, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "delete-all-not-alone"):
        problem = entry.problem
        crash = problem is not None and problem.status is not None and problem.status < 0
        what = "-D must be alone on its line (or be `-D -k KEY`)"
        if crash:
            what = "auditctl crashes on -D after another option"
        text = line_bytes(entry)
        lines = []
        start = 0
        for at, end in words(text):
            if text[at:end] == b"-D":
                lines += [text[start:at].strip(b" "), b"-D"]
                start = end
        lines.append(text[start:].strip(b" "))
        split = b"\n".join(line for line in lines if line)
        fix = rewritten(context, entry, "safe", "Write one option a line", split)
        yield refusal(context, entry, what, fix, at_line(entry))
