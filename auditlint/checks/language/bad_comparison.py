"""AL139: -C between two things that cannot be compared."""

from __future__ import annotations

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "bad-comparison"):
        assert entry.problem is not None
        what = entry.problem.message
        if entry.problem.kind == "compare-incompatible":
            what += "; compare user ids with user ids, group ids with group ids"
        elif any(mark in entry.problem.context for mark in "<>&"):
            what = "-C accepts only the operators = and !="
        yield refusal(context, entry, what, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    """-F for a comparison with a value."""
    assert entry.problem is not None
    if entry.problem.kind != "compare-value-unknown":
        return None
    text = line_bytes(entry)
    start = offset(entry, entry.line.options[-1].span[0])
    changed = text[:start] + b"-F" + text[start + 2 :]
    return rewritten(context, entry, "unsafe", "Use -F to compare with a value", changed)
