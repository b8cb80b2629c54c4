"""AL110: the action possible is skipped."""

from __future__ import annotations

from auditlint.checks.api import (
    Entry,
    Fix,
    Hit,
    Hits,
    Option,
    RulesContext,
    at_span,
    caused,
    line_bytes,
    offset,
    refusal,
    rewritten,
)


def check(context: RulesContext) -> Hits:
    for entry in context.entries:
        if entry.line.dropped:
            option = _option(entry)
            message = "silently ignored: the action possible is deprecated; use always"
            yield Hit(at_span(entry, option.span), message, (), _fix(context, entry, option), "warning")
    for entry in caused(context, "action-possible"):
        option = _option(entry)
        fix = _fix(context, entry, option)
        yield refusal(
            context,
            entry,
            "auditctl no longer accepts the action possible; use always",
            fix,
            at_span(entry, option.span),
        )


def _option(entry: Entry) -> Option:
    return next(option for option in reversed(entry.line.options) if option.name in ("-a", "-A", "-d"))


def _fix(context: RulesContext, entry: Entry, option: Option) -> Fix | None:
    text = line_bytes(entry)
    assert option.arg_span is not None
    start, end = offset(entry, option.arg_span[0]), offset(entry, option.arg_span[1])
    changed = text[:start] + text[start:end].replace(b"possible", b"always") + text[end:]
    return rewritten(context, entry, "unsafe", "Write always instead of possible", changed)
