"""AL218: exe= with a script."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named
from auditlint.core.path_lookup import reached

_ENDINGS = (".sh", ".bash", ".zsh", ".ksh", ".py", ".pl", ".rb", ".php", ".lua", ".tcl", ".awk")


def check(context: RulesContext) -> Hits:
    facts = context.facts
    for _, entry, number, field in fields_named(context, "exe"):
        text = str(field.value)
        known = reached(text, facts) in facts.scripts
        if known or text.endswith(_ENDINGS):
            what = "is a script" if known else "looks like a script"
            result = "never" if field.op == "=" else "always"
            message = f"{text} {what}: it runs as its interpreter, so exe{field.op} is {result} true for it"
            yield Hit(at_number(entry, number), message, (), None, "warning" if known else None)
