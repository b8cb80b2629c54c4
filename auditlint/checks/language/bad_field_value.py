"""AL125: a value that its field does not take."""

from __future__ import annotations

from auditlint.analysis.spelling import Words, suggestion
from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten

TRUTH = {"yes": "1", "true": "1", "no": "0", "false": "0"}


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import file_types

    for entry in caused(context, "bad-field-value"):
        assert entry.problem is not None
        word = entry.problem.context
        what, fix = entry.problem.message, None
        if what.startswith("the value of success") and word.lower() in TRUTH:
            what += f": write {TRUTH[word.lower()]} for {word}"
            fix = _put(context, entry, TRUTH[word.lower()])
        elif "file type" in what:
            near = Words(file_types()).near(word)
            what += suggestion(near) or f"; expected one of {', '.join(file_types())}"
        yield refusal(context, entry, what, fix)


def _put(context: RulesContext, entry: Entry, value: str) -> Fix | None:
    assert entry.problem is not None
    text = line_bytes(entry)
    start, end = offset(entry, entry.problem.span[0]), offset(entry, entry.problem.span[1])
    return rewritten(context, entry, "safe", f"Use {value}", text[:start] + value.encode() + text[end:])
