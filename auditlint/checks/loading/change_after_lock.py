"""AL013: rules and settings behind -e 2."""

from __future__ import annotations

from auditlint.analysis.load_summary import place
from auditlint.checks.api import Edit, Entry, Fix, Hits, RulesContext, at_line, caused, delete_line, refusal


def check(context: RulesContext) -> Hits:
    lock = _lock(context)
    fix = None if lock is None or context.program.is_directory else _move_to_end(lock)
    for entry in caused(context, "change-after-lock"):
        related = () if lock is None else (at_line(lock, "locked here"),)
        where = "" if lock is None else f" by `-e 2` in {place(lock, context.program)}"
        yield refusal(
            context,
            entry,
            f"the kernel accepts no change: the configuration is locked{where}",
            fix,
            at_line(entry),
            related,
        )
        fix = None


def _lock(context: RulesContext) -> Entry | None:
    for option, entry in context.options("-e"):
        if option.arg == "2" and entry.verdict == "control":
            return entry
    return None


def _move_to_end(lock: Entry) -> Fix | None:
    """The lock as the last line; only when it is alone on its line."""
    source = lock.at.source
    if len(lock.line.options) != 1:
        return None
    start, end = source.line_span(lock.at.line)
    text = source.data[start:end]
    joint = b"" if source.data.endswith(b"\n") else b"\n"
    size = len(source.data)
    insert = Edit(source, size, size, joint + text + b"\n")
    return Fix("unsafe", "Move -e 2 to the end of the file", (delete_line(lock), insert))
