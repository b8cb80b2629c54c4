"""AL215: a pattern or a relative part in a path."""

from __future__ import annotations

import re

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named

_PATTERN = re.compile(r"[*?]|\[[^]/]+\]|\{[^}]*[,.][^}]*\}|\$[A-Za-z_({]")
"""Shell patterns, alternatives and variables; a single bracket is the name of a program."""
_SEVERAL = re.compile(r"[,:;]/")


def check(context: RulesContext) -> Hits:
    for _, entry, number, field in fields_named(context, "path", "dir", "exe"):
        text = str(field.value)
        found = _PATTERN.search(text)
        if found is not None:
            kind = "variable" if found[0].startswith("$") else "pattern"
            message = f"{text} is used literally: no {kind} is expanded"
            yield Hit(at_number(entry, number), message)
        elif _SEVERAL.search(text) is not None:
            message = f"{text} is one path, not a list; write a rule for each path"
            yield Hit(at_number(entry, number), message)
        elif "/../" in text or text.endswith("/.."):
            message = f"the .. in {text} is resolved once, when the rule is loaded; auditctl warns about it"
            yield Hit(at_number(entry, number), message, (), None, "advice")
