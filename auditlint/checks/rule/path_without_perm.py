"""AL238: a path without perm or system calls."""

from __future__ import annotations

from auditlint.analysis.program_paths import usual_perm
from auditlint.analysis.rule_fields import behind, source_of
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_number, fields_named


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "path", "dir"):
        if rule.action != "always" or rule.list != "exit" or rule.mask != ALL_SYSCALLS or rule.get("perm") is not None:
            continue
        if source_of(entry, number) is None:
            continue
        message = f"without perm every call that names {field.value} is recorded, even stat and readlink"
        word = f"perm={usual_perm(str(field.value))}"
        fix = behind(context, entry, number, "unsafe", f"Add {word}", f"-F {word}")
        yield Hit(at_number(entry, number), message, (), fix)
