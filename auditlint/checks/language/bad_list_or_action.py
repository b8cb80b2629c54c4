"""AL108: a list or action that does not exist."""

from __future__ import annotations

import re

from auditlint.analysis.refusal_causes import ACTIONS, LISTS
from auditlint.analysis.spelling import Words, suggestion
from auditlint.checks.api import (
    Entry,
    Fix,
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

PAIRS = frozenset(pair for name in LISTS for action in ACTIONS for pair in (f"{action},{name}", f"{name},{action}"))


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "bad-list-or-action"):
        option = next(option for option in reversed(entry.line.options) if option.name in ("-a", "-A", "-d"))
        word = option.arg or ""
        near, fix = _fix(context, entry, option, word)
        at = at_span(entry, option.arg_span or option.span)
        yield refusal(context, entry, f"{word} is not LIST,ACTION{suggestion(near)}", fix, at)


def _fix(context: RulesContext, entry: Entry, option: Option, word: str) -> tuple[str | None, Fix | None]:
    text = line_bytes(entry)
    assert option.arg_span is not None
    start, end = offset(entry, option.arg_span[0]), offset(entry, option.arg_span[1])
    following = text[end:].lstrip(b" ").split(b" ")[0].decode("latin-1")
    for joined in (word + following, f"{word},{following}"):
        if joined in PAIRS:
            stop = end + text[end:].index(following.encode("latin-1")) + len(following)
            changed = text[:start] + joined.encode() + text[stop:]
            return joined, rewritten(context, entry, "unsafe", f"Write {joined}", changed)
    near = _near(word)
    if near is None:
        return None, None
    changed = text[:start] + near.encode() + text[end:]
    return near, rewritten(context, entry, "unsafe", f"Use {near}", changed)


def _near(word: str) -> str | None:
    """Each of the two words as what it looks most like; they must come out as one list and one action."""
    words = Words((*LISTS, *ACTIONS))
    pair = ",".join(words.near(half) or half for half in re.split("[,.;:/|]", word))
    return pair if pair in PAIRS else None
