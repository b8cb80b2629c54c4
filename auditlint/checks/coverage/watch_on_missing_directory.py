"""AL413: -w on a directory that does not exist when the rules are loaded."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import usual_directories

    for option, entry in context.options("-w"):
        text = option.arg or ""
        path = text.rstrip("/")
        if entry.verdict != "rule" or path not in context.facts.paths_missing:
            continue
        if text.endswith(("/", ".d")) or path in usual_directories():
            message = f"{path} does not exist: the watch is one of a file, and sees nothing in a directory made later"
            yield Hit(at_line(entry), message)
