"""AL413: a rule on a directory that does not exist when the rules are loaded."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_number, fields_named

_FILE_ENDINGS = (".sock", ".socket", ".pid", ".lock", ".db", ".log", ".conf", ".json")


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import usual_directories

    for option, entry in context.options("-w"):
        text = option.arg or ""
        path = text.rstrip("/")
        if entry.verdict != "rule" or path not in context.facts.paths_missing:
            continue
        if text.endswith(("/", ".d")) or path in usual_directories():
            message = f"records nothing inside {path} once it is created: it does not exist, so -w watches a file"
            yield Hit(at_line(entry), message)
    if not context.facts.paths_complete:
        yield from _likely(context)


def _likely(context: RulesContext) -> Hits:
    """Without an image: services create the entries of /run, and they start after the rules are loaded."""
    from auditlint.auditctl.tables import early_in_run

    facts = context.facts
    for _, entry, number, field in fields_named(context, "path", "dir"):
        text = str(field.value).rstrip("/")
        inner = text.removeprefix("/var")
        if not inner.startswith("/run/") or text in facts.paths_missing or text in facts.directories:
            continue
        first, _, rest = inner.removeprefix("/run/").partition("/")
        if first in early_in_run() or f"/run/{first}" in facts.directories:
            continue
        assumed = f"assuming a service creates /run/{first} after the rules are loaded; use --facts"
        if rest:
            message = f"the kernel refuses this rule, and the load may stop here, {assumed}"
        elif field.name == "dir":
            message = f"the kernel refuses this rule, {assumed}"
        elif first.endswith(_FILE_ENDINGS):
            continue  # a watch on a file that is created later works
        else:
            message = f"records nothing inside {text}, {assumed}"
        yield Hit(at_number(entry, number), message, (), None, "advice")
