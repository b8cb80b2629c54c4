"""AL243: the action never on the exclude list drops records, as always does."""

from __future__ import annotations

import re

from auditlint.analysis.list_order import at_list, with_action
from auditlint.checks.api import Hit, Hits, RulesContext, line_bytes
from auditlint.kernel.exclude import KNOWN_FIELDS

_ALWAYS = re.compile(rb"-a *(?:exclude,always|always,exclude)(?: |$)")


def check(context: RulesContext) -> Hits:
    rules = context.on_list("exclude")
    # A line that is refused today is a rule of the list once it is mended.
    refused = any(_ALWAYS.search(line_bytes(entry).lower()) for entry in context.entries if entry.verdict == "error")
    mixed = refused or any(rule.action == "always" for rule, _ in rules)
    for rule, entry in rules:
        if rule.action != "never" or not rule.fields or any(field.name not in KNOWN_FIELDS for field in rule.fields):
            continue
        message = "never on the exclude list drops the records, just as always does"
        if mixed:
            message += "; it does not protect them from other rules"
        # Where it is taken for an exception, writing what it does would hide the mistake.
        fix = with_action(context, entry, "unsafe" if mixed else None, "never", "always")
        yield Hit(at_list(entry), message, (), fix, None if mixed else "advice")
