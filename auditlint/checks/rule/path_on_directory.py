"""AL217: path= or exe= on a directory."""

from __future__ import annotations

from auditlint.analysis.rule_fields import escaped, source_of, with_field
from auditlint.auditctl.tables import usual_directories
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named
from auditlint.core.path_lookup import is_directory


def check(context: RulesContext) -> Hits:
    usual = usual_directories()
    trees = {str(field.value).rstrip("/") for _, _, _, field in fields_named(context, "dir")}
    for _, entry, number, field in fields_named(context, "path", "exe"):
        text = str(field.value)
        known = is_directory(text, context.facts)
        if not (text in usual if known is None else known):
            continue
        if field.name == "exe":
            result = "never" if field.op == "=" else "always"
            message = f"exe{field.op} is {result} true: {text} is a directory, not a program"
            yield Hit(at_number(entry, number), message, (), None, "error" if field.op == "=" else None)
        elif text not in trees:  # beside a rule on the tree it is meant for the directory itself
            source = source_of(entry, number)
            fix = None
            if source is not None:
                fix = with_field(context, entry, number, "unsafe", "Use dir", "dir=" + escaped(source.text))
            message = (
                f"the rule sees no change of files in the directory {text}, only of the directory and its entries; "
                "use dir= for the whole tree"
            )
            yield Hit(at_number(entry, number), message, (), fix)
