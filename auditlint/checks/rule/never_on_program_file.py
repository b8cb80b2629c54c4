"""AL236: a never rule on a program's file does not silence the program."""

from __future__ import annotations

import re

from auditlint.analysis.program_paths import PROGRAMS
from auditlint.analysis.rule_fields import source_of, with_field
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_number, fields_named


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "path", "dir"):
        text = str(field.value)
        if rule.action != "never" or rule.list != "exit" or rule.mask != ALL_SYSCALLS or not re.search(PROGRAMS, text):
            continue
        if any(other.name in ("perm", "exe") for other in rule.fields):
            continue
        what = "programs from" if field.name == "dir" else ""
        message = (
            f"{field.name}={text} drops events that touch the file, not what "
            f"{what + ' ' if what else ''}{text} {'do' if what else 'does'}; use exe= for the events of a program"
        )
        fix = None
        if field.name == "path" and source_of(entry, number) is not None:
            fix = with_field(context, entry, number, "unsafe", "Use exe", f"exe={text}")
        yield Hit(at_number(entry, number), message, (), fix)
