"""AL103: a word that belongs to no option."""

from __future__ import annotations

import re

from auditlint.analysis.refusal_causes import free_word
from auditlint.checks.api import (
    Entry,
    Fix,
    Hits,
    Option,
    RulesContext,
    at_problem,
    at_span,
    caused,
    line_bytes,
    offset,
    refusal,
    rewritten,
)

_BULLET = re.compile(rb" *(?:[-*+](?: +[-*+])*|[0-9]+[.)]) +(?=-)")
_FIELD = re.compile(r"[A-Za-z0-9_]+(?:[=<>!&])")
_JOINTS = {
    "-p": (b"", "write the permissions as one word"),
    "-S": (b",", "write several system calls as one word with commas"),
}
_OPTIONS = {b"audit_backlog_limit": b"-b", b"audit": b"-e"}
"""The options of auditctl for what the kernel command line sets."""
_BOOT_WORD = re.compile(rb"(audit_backlog_limit|audit) *= *([0-9]+)")
LETTERS = frozenset("aAdwWFCSkpbefr")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "stray-word"):
        what, fix = _explain(context, entry)
        free = free_word(entry)
        base = entry.line.span[0]
        at = at_problem(entry) if free is None else at_span(entry, (base + free[0], base + free[1]))
        yield refusal(context, entry, what, fix, at)


def _explain(context: RulesContext, entry: Entry) -> tuple[str, Fix | None]:
    assert entry.problem is not None
    text = line_bytes(entry)
    first = text.split()[0].decode("latin-1") if text.split() else ""
    if entry.problem.kind == "no-message" and not entry.line.option_names and first not in LETTERS:
        boot = _BOOT_WORD.fullmatch(text.strip(b" ")) if text else None
        if boot is not None:
            option = _OPTIONS[boot[1]] + b" " + boot[2]
            what = f"{boot[1].decode()} is a word of the kernel command line; auditctl has {option.decode()} for it"
            return what, rewritten(context, entry, "unsafe", f"Write {option.decode()}", option)
        comment = b"# " + text.lstrip(b" ")
        what = "auditctl fails silently: no word of the line is an option"
        return what, rewritten(context, entry, "safe", "Write # before it to make it a comment", comment)
    start, end = free_word(entry) or (offset(entry, place) for place in entry.problem.span)
    word = text[start:end].decode("utf-8", "replace")
    before = _before(entry, start, text)
    if before is not None and before.name in _JOINTS and (before.name != "-p" or set(word) <= set("rwxaRWXA")):
        joint, why = _JOINTS[before.name]
        joined = text[:start].rstrip(b" ").rstrip(b",") + joint + text[start:]
        fix = rewritten(context, entry, "unsafe", "Join the words", joined)
        if fix is not None:
            return f"{word} belongs to no option: {why}", fix
    if before is not None and before.name == "-k" and word not in ("F", "S"):
        return f"a key cannot contain a blank: {word} belongs to no option", None
    if word in LETTERS:
        dashed = text[:start] + b"-" + text[start:]
        return f"{word} belongs to no option; did you mean -{word}?", rewritten(
            context, entry, "unsafe", "Write a dash before it", dashed
        )
    if _FIELD.match(word):
        field = text[:start] + b"-F " + text[start:]
        return f"{word} belongs to no option; did you mean -F {word}?", rewritten(
            context, entry, "unsafe", "Write -F before it", field
        )
    bullet = _BULLET.match(text)
    if bullet is not None and start < bullet.end():
        return f"{word} belongs to no option", rewritten(
            context, entry, "unsafe", "Remove what comes before", text[bullet.end() :]
        )
    return f"{word} belongs to no option", None


def _before(entry: Entry, start: int, text: bytes) -> Option | None:
    """The option whose argument ends right in front of the word."""
    for option in entry.line.options:
        end = offset(entry, option.span[1])
        if end <= start and not text[end:start].strip(b" "):
            return option
    return None
