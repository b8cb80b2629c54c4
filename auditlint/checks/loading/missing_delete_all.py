"""AL010: a complete rule set without -D."""

from __future__ import annotations

from auditlint.analysis.completeness import deletes_all, is_complete
from auditlint.checks.api import Edit, Fix, Hit, Hits, RulesContext, at_line, at_start


def check(context: RulesContext) -> Hits:
    program = context.program
    if not is_complete(context) or deletes_all(context):
        return
    message = "the next load in this boot stops at the first rule, because the kernel already has it; begin with -D"
    if program.is_directory:
        yield Hit(at_start(program.sources[0]), message)
        return
    source = program.sources[0]
    first = context.entries[0]
    start = source.line_span(first.at.line)[0]
    fix = Fix("unsafe", "Begin with -D", (Edit(source, start, start, b"-D\n"),))
    yield Hit(at_line(first), message, (), fix)
