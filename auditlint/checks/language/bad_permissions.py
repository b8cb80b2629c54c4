"""AL138: -p with wrong letters or at the wrong place."""

from __future__ import annotations

import re

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, refusal, rewritten

_PERM = re.compile(rb"(?:\A| +)(-p *[rwxaRWXA]+)(?= |\Z)")
_COMMAS = re.compile(rb"(?<=-p) *[rwxaRWXA](?:[,|+/]+[rwxaRWXA])+(?= |\Z)")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "bad-permissions"):
        assert entry.problem is not None
        yield refusal(context, entry, entry.problem.message, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    text = line_bytes(entry)
    plain = _COMMAS.sub(lambda found: re.sub(rb"[,|+/]", b"", found[0]), text)
    if plain != text:
        return rewritten(context, entry, "safe", "Write the letters without separators", plain)
    found = _PERM.search(text)
    if found is None:
        return None
    moved = (text[: found.start()] + text[found.end() :]).strip(b" ") + b" " + found[1]
    return rewritten(context, entry, "safe", "Move -p after its watch", moved)
