"""AL113: a key without, or in front of, what it may stand on."""

from __future__ import annotations

import re

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, refusal, rewritten

_KEY = re.compile(rb"(?:\A| +)(-k *(?:[^ \\]|\\.)+)(?= |\Z)")
_ANY_KEY_WHOLE = re.compile(rb"(?:\A| +)(?:-k *|-F *key=)(?:[^ \\]|\\.)+(?= |\Z)")
_EXCLUDE = re.compile(rb"-[aA] *(?:exclude,\w+|\w+,exclude)(?: |\Z)", re.IGNORECASE)
_ANY_KEY = re.compile(rb"(?:\A| +)(?=-k|-F *key=)")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "key-before-target"):
        what = "a key needs a watch, a system call or one of path, dir, perm, exe, fstype"
        fix = _move(context, entry)
        if fix is not None:
            what = "the key must come after the watch, system call or field that it needs"
        yield refusal(context, entry, what, fix or _all_calls(context, entry) or _no_key(context, entry))


def _move(context: RulesContext, entry: Entry) -> Fix | None:
    text = line_bytes(entry)
    found = _KEY.search(text)
    if found is None:
        return None
    moved = (text[: found.start()] + text[found.end() :]).strip(b" ") + b" " + found[1]
    return rewritten(context, entry, "safe", "Move the key to the end", moved)


def _all_calls(context: RulesContext, entry: Entry) -> Fix | None:
    """`-S all` is the mask that a rule without -S has on the exit list."""
    text = line_bytes(entry)
    found = _ANY_KEY.search(text)
    if found is None:
        return None
    changed = text[: found.start()] + b" -S all " + text[found.end() :]
    return rewritten(context, entry, "safe", "Add -S all", changed)


def _no_key(context: RulesContext, entry: Entry) -> Fix | None:
    """The line without its key, where no event could carry it: the exclude list takes records away."""
    text = line_bytes(entry)
    found = _ANY_KEY_WHOLE.search(text)
    if found is None or _EXCLUDE.search(text) is None:
        return None
    left = (text[: found.start()] + text[found.end() :]).strip(b" ")
    return rewritten(context, entry, "safe", "Remove the key: no event of the exclude list carries one", left)
