"""AL016: -i or -c behind rules."""

from __future__ import annotations

from auditlint.checks.api import Edit, Entry, Fix, Hit, Hits, RulesContext, at_line, delete_line


def check(context: RulesContext) -> Hits:
    rule: Entry | None = None
    failed = False
    for entry in context.entries:
        kinds = {request.kind for request in entry.line.requests}
        if kinds & {"ignore", "continue"}:
            if rule is not None:
                name = "-c" if "continue" in kinds else "-i"
                fix = None if failed or context.program.is_directory else _move(rule, entry)
                message = f"an error in the rules before {name} still stops the load: it has effect only on later lines"
                yield Hit(at_line(entry), message, (at_line(rule, "first rule"),), fix)
            return
        failed = failed or entry.verdict == "error"
        if rule is None and (entry.rule is not None or entry.verdict == "error"):
            rule = entry


def _move(rule: Entry, entry: Entry) -> Fix | None:
    """In front of the first rule; only when the option is alone on its line."""
    if len(entry.line.options) != 1 or entry.verdict == "error":
        return None
    source = entry.at.source
    start = source.line_span(rule.at.line)[0]
    text = source.data[slice(*source.line_span(entry.at.line))]
    return Fix("safe", "Move it before the rules", (Edit(source, start, start, text + b"\n"), delete_line(entry)))
