"""AL906: -k and -F key= side by side."""

from __future__ import annotations

from auditlint.analysis.same_rule import same_rule
from auditlint.checks.api import Entry, Hit, Hits, Option, RulesContext, at_span, line_bytes, offset


def check(context: RulesContext) -> Hits:
    """Of rules written with -a; after -w the short form is what everybody uses."""
    short: list[Entry] = []
    long: list[Entry] = []
    for _, entry in context.with_field("key"):
        if "-w" not in entry.line.option_names:
            (short if "-k" in entry.line.option_names else long).append(entry)
    if not short or not long:
        return
    rare, old, new = (short, "-k ", "-F key=") if len(short) <= len(long) else (long, "-F key=", "-k ")
    for entry in rare:
        options = [option for option in entry.line.options if _is_key(option)]
        if len(options) != 1:
            continue
        option = options[0]
        text = line_bytes(entry)
        start, end = (offset(entry, place) for place in option.span)
        first, last = (offset(entry, place) for place in option.arg_span or option.span)
        value = text[first:last].removeprefix(b"key=")
        fix = same_rule(context, entry, f"Write {new.strip()}", text[:start] + new.encode() + value + text[end:])
        message = f"{old.strip()} here, but {new.strip()} in most other rules; the kernel gets the same"
        yield Hit(at_span(entry, option.span), message, (), fix)


def _is_key(option: Option) -> bool:
    return option.name == "-k" or (option.name == "-F" and (option.arg or "").startswith("key="))
