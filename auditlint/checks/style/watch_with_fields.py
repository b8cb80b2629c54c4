"""AL904: -F after -w."""

from __future__ import annotations

from auditlint.analysis.same_rule import same_rule
from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_span, line_bytes, offset


def check(context: RulesContext) -> Hits:
    for _, entry in context.on_list("exit"):
        names = entry.line.option_names
        if "-w" not in names or "-F" not in names:
            continue
        option = next(option for option in entry.line.options if option.name == "-F")
        message = f"-F {option.arg} after -w works, but is undocumented; write -a always,exit with -F path or dir"
        yield Hit(at_span(entry, option.span), message, (), _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    """The form with -a. It says itself whether the path is a directory; -w leaves that to the host."""
    rule = entry.rule
    place = None if rule is None else rule.get("dir") or rule.get("path")
    if rule is None or place is None:
        return None
    text = line_bytes(entry)
    perm = b"" if "-p" in entry.line.option_names else b" -F perm=rwxa"
    for option in reversed(entry.line.options):
        if option.name in ("-w", "-p") and option.arg_span is not None:
            start, end = (offset(entry, at) for at in option.span)
            first, last = (offset(entry, at) for at in option.arg_span)
            word = b"-F perm=" if option.name == "-p" else f"-a always,exit -F {place.name}=".encode()
            text = text[:start] + word + text[first:last] + (perm if option.name == "-w" else b"") + text[end:]
    fix = same_rule(context, entry, "Write the watch with -a", text)
    known = context.facts.directories_complete or str(place.value) in context.facts.directories
    return fix if fix is None or known else Fix("unsafe", fix.title, fix.edits)
