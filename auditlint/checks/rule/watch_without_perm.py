"""AL239: -w without -p."""

from __future__ import annotations

from auditlint.analysis.program_paths import usual_perm
from auditlint.analysis.rule_fields import changed
from auditlint.checks.api import Hit, Hits, RulesContext, at_span, line_bytes, offset


def check(context: RulesContext) -> Hits:
    for _, entry in context.on_list("exit"):
        names = entry.line.option_names
        if "-w" not in names or "-p" in names:
            continue
        watch = next(option for option in entry.line.options if option.name == "-w")
        if entry.rule is None or sum(field.name == "perm" for field in entry.rule.fields) > 1:
            continue
        text = line_bytes(entry)
        end = offset(entry, watch.span[1])
        word = f"-p {usual_perm(watch.arg or '')}"
        fix = changed(context, entry, "unsafe", f"Add {word}", text[:end] + b" " + word.encode() + text[end:])
        message = f"every read of {watch.arg} is recorded: -w without -p means -p rwxa"
        yield Hit(at_span(entry, watch.span), message, (), fix)
