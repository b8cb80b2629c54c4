"""AL301: a rule that the kernel already has."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hit, Hits, Location, RulesContext, at_line, caused, consequence, delete_line


def check(context: RulesContext) -> Hits:
    program = context.program
    for entry in caused(context, "duplicate-rule"):
        fix = None if entry.parts else Fix("safe", "Remove the line", (delete_line(entry),))
        where = "was in the kernel before the load"
        related: tuple[Location, ...] = ()
        first = entry.equal_to
        if first is not None and first.source in program.sources:
            line = first.source.line_of(first.span[0])
            where = f"is loaded in {first.source.path}:{line}" if program.is_directory else f"is loaded in line {line}"
            related = (Location(first.source, first.span, "the same rule"),)
        effect = consequence(context, entry)
        if effect.startswith("only this"):
            effect = "the line is skipped and nothing is lost"
        yield Hit(at_line(entry), f"the same rule {where}; {effect}", related, fix, "error")
