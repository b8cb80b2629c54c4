"""AL020: a control option with a value that is refused."""

from __future__ import annotations

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "bad-control-value"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.status is not None:
            what += "; auditctl exits here, even after -i"
        yield refusal(context, entry, what, _without_equals(context, entry))


def _without_equals(context: RulesContext, entry: Entry) -> Fix | None:
    """`-b=8192` as `-b 8192`."""
    assert entry.problem is not None
    text = line_bytes(entry)
    start = offset(entry, entry.problem.span[0])
    if text[start : start + 1] != b"=":
        return None
    return rewritten(context, entry, "safe", "Write the value after a blank", text[:start] + b" " + text[start + 1 :])
