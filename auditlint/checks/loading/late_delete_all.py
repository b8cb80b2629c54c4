"""AL011: -D behind rules."""

from __future__ import annotations

from auditlint.checks.api import Edit, Fix, Hit, Hits, RulesContext, at_line, delete_line


def check(context: RulesContext) -> Hits:
    if context.program.is_directory:
        return
    rules = 0
    at_top = False
    for entry in context.entries:
        rules += entry.verdict == "rule"
        if not any(request.kind == "delete-all" and request.key is None for request in entry.line.requests):
            continue
        if rules == 0:
            at_top = True
            continue
        edits = [delete_line(entry)]
        if not at_top:
            source = entry.at.source
            start = source.line_span(context.entries[0].at.line)[0]
            edits.insert(0, Edit(source, start, start, b"-D\n"))
        fix = None if entry.verdict == "error" else Fix("unsafe", "Move -D to the top", tuple(edits))
        these = "the rule before it" if rules == 1 else f"the {rules} rules before it"
        yield Hit(at_line(entry), f"-D deletes {these} again", (), fix)
        rules, at_top = 0, True
