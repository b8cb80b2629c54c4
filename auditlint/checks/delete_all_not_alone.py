"""AL012: -D with other options on its line."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes, words
from auditlint.subjects import at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("delete-all-not-alone"):
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
        fix = rewritten(subject, entry, "safe", "One option a line", split)
        yield refusal(subject, entry, what, fix, at_line(entry))
