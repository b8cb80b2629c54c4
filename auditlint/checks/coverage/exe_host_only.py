"""AL416: exe= stands for one file of the host."""

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
        message = f"{path} is one file of the host: a copy of the program, as in a container, does not match{rest}"
        yield Hit(at_field(entry, "exe"), message)
