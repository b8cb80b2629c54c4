"""AL301: the same rule again."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hit, Hits, Location, RulesContext, at_line, caused, consequence, delete_line


def check(context: RulesContext) -> Hits:
    program = context.program
    for entry in caused(context, "duplicate-rule"):
        fix = None if entry.parts else Fix("safe", "Remove the line", (delete_line(entry),))
        where = "in the kernel before the load"
        related: tuple[Location, ...] = ()
        first = entry.equal_to
        if first is not None and first.source in program.sources:
            line = first.line
            where = f"in {first.source.path}:{line}" if program.is_directory else f"in line {line}"
            related = (Location(first.source, first.span, "the same rule"),)
        what = consequence(context, entry)
        if what.startswith("only this"):
            what = "the line is skipped and nothing is lost"
        yield Hit(at_line(entry), f"the same rule is loaded {where}; {what}", related, fix, "error")
