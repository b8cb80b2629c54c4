"""AL129: a file system name that auditctl does not know."""

from __future__ import annotations

from auditlint.analysis.spelling import Words, suggestion
from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import filesystem_magics, filesystem_types

    release = context.target.auditctl
    magics = filesystem_magics()
    for entry in caused(context, "unknown-file-system"):
        assert entry.problem is not None
        word = entry.problem.context
        magic = magics.get(word.lower())
        what, fix = f"auditctl {release} does not know the file system {word}", None
        if magic is None:
            what += suggestion(Words(filesystem_types(release)).near(word))
        else:
            what += f"; use its number {magic:#x}"
            text = line_bytes(entry)
            start, end = offset(entry, entry.problem.span[0]), offset(entry, entry.problem.span[1])
            changed = text[:start] + f"{magic:#x}".encode() + text[end:]
            fix = rewritten(context, entry, "safe", "Use the number", changed)
        yield refusal(context, entry, what, fix)
