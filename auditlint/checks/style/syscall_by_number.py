"""AL909: a system call by number."""

from __future__ import annotations

import re

from auditlint.analysis.rule_calls import abis_of_rule
from auditlint.analysis.same_rule import same_rule
from auditlint.auditctl.tables import call_names
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_span, line_bytes, offset

_BY_NUMBER = re.compile(rb"-S *(?:[^ ]*,)?[0-9]+(?:[, ]|\Z)")


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("exit"):
        if rule.mask == ALL_SYSCALLS or _BY_NUMBER.search(line_bytes(entry)) is None:
            continue
        machine = next(iter(abis_of_rule(rule, context.target)), None)
        names = {} if machine is None else call_names(machine.name, context.target.auditctl)
        for text, span, found in entry.line.syscall_words:
            if not text.isdecimal() or len(found) != 1:
                continue
            name = names.get(found[0])
            fix = None
            if name is not None and machine is not None:
                line = line_bytes(entry)
                start, end = (offset(entry, place) for place in span)
                new = line[:start] + name.encode() + line[end:]
                fix = same_rule(context, entry, f"Write {name}", new)
            meaning = f"is {name} on {machine.name}" if name and machine else "has no name here"
            yield Hit(at_span(entry, span), f"number {text} {meaning}; on another machine it is another call", (), fix)
