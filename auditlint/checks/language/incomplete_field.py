"""AL120: a field without name, operator or value."""

from __future__ import annotations

import re

from auditlint.checks.api import Entry, Fix, Hits, Option, RulesContext, caused, line_bytes, offset, refusal, rewritten

_PARTS = re.compile(rb"(-[FC] *[A-Za-z0-9_]+) *(!=|>=|<=|&=|=|>|<|&) *(?=[^ -]|-[0-9A-Z])")
_OPTION = re.compile(r"-[A-Za-z]\Z")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "incomplete-field"):
        assert entry.problem is not None
        option = entry.line.options[-1]
        text = option.arg or ""
        if _OPTION.match(text):
            what = f"{option.name} reads {text} as its field, which has no operator"
            yield refusal(context, entry, what, _drop(context, entry, option))
            continue
        yield refusal(context, entry, entry.problem.message, _join(context, entry))


def _drop(context: RulesContext, entry: Entry, option: Option) -> Fix | None:
    """The -F goes; the option behind it stays."""
    text = line_bytes(entry)
    assert option.arg_span is not None
    start, end = offset(entry, option.span[0]), offset(entry, option.arg_span[0])
    return rewritten(context, entry, "safe", f"Remove {option.name}", text[:start] + text[end:])


def _join(context: RulesContext, entry: Entry) -> Fix | None:
    """Name, operator and value as one word, in all fields of the line."""
    joined = _PARTS.sub(rb"\1\2", line_bytes(entry))
    return rewritten(context, entry, "safe", "Write the field as one word", joined)
