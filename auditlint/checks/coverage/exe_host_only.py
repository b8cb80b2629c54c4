"""AL416: exe= names one file of the host."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import more
from auditlint.checks.api import Hit, Hits, RulesContext, at_field


def check(context: RulesContext) -> Hits:
    found = [
        (str(field.value), entry)
        for rule, entry in context.with_field("exe")
        for field in rule.fields
        if field.name == "exe" and field.op == "=" and rule.action == "always" and rule.list in ("exit", "io_uring")
    ]
    paths = {path for path, _ in found}
    if found:
        path, entry = found[0]
        rest = more(len(paths) - 1, "program")
        message = f"a copy of {path}, as in a container, does not match: exe names one file of the host{rest}"
        yield Hit(at_field(entry, "exe"), message)
