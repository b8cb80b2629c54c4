"""AL010: a complete rule set without -D."""

from __future__ import annotations

from auditlint.analysis.completeness import FRAGMENT
from auditlint.checks.api import Edit, Entry, Fix, Hit, Hits, RulesContext, at_line, at_start

_SETTINGS = ("-b", "-f", "-e")


def check(context: RulesContext) -> Hits:
    program = context.program
    if not context.rules or any(_deletes_all(entry) for _, entry in context.options("-D")):
        return
    message = "the next load in this boot stops at the first rule, because the kernel already has it; begin with -D"
    if program.is_directory:
        yield Hit(at_start(program.sources[0]), message)
        return
    source = program.sources[0]
    name = source.path.rpartition("/")[2]
    if name != "audit.rules" and (FRAGMENT.match(name) or not any(context.options(*_SETTINGS))):
        return
    first = context.entries[0]
    start = source.line_span(source.line_of(first.at.span[0]))[0]
    fix = Fix("unsafe", "Begin with -D", (Edit(source, start, start, b"-D\n"),))
    yield Hit(at_line(first), message, (), fix)


def _deletes_all(entry: Entry) -> bool:
    """A plain -D, also one whose line is refused: what is wrong with that line is told by another check."""
    return not any(request.kind == "delete-all" and request.key is not None for request in entry.line.requests)
