"""AL115: no such system call or io_uring operation."""

from __future__ import annotations

from auditlint.analysis.spelling import Words, suggestion
from auditlint.analysis.unknown_syscalls import machine_of, wrong_names
from auditlint.auditctl.tables import record_types
from auditlint.checks.api import Entry, Hits, RulesContext, at_problem, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    tables: dict[str, Words] = {}
    for entry in caused(context, "unknown-syscall"):
        assert entry.problem is not None
        problem = entry.problem
        word = problem.context
        ring = problem.kind == "unknown-io_uring-op"
        near = "all" if word.lower() == "all" else _words(context, entry, ring, tables).near(word)
        what = f"{word} is not an io_uring operation that can be audited" if ring else f"unknown system call {word}"
        guilty = offset(entry, problem.span[0])
        others = [name.text for name in wrong_names(context, entry) if not name.start <= guilty < name.end]
        if not ring and (record_types(context.target.auditctl).get(word.upper()) is not None):
            what += f"; for the record type {word} use -F msgtype on the exclude or user list"
        if others:
            what += f" (nor {', '.join(others)})"
        fix = None
        if near is not None:
            text = line_bytes(entry)
            start, end = offset(entry, problem.span[0]), offset(entry, problem.span[1])
            fix = rewritten(context, entry, "unsafe", f"Use {near}", text[:start] + near.encode() + text[end:])
        yield refusal(context, entry, what + suggestion(near), fix, at_problem(entry))


def _words(context: RulesContext, entry: Entry, ring: bool, kept: dict[str, Words]) -> Words:
    """The names that would be known there."""
    from auditlint.auditctl.tables import calls, io_uring_operations

    release = context.target.auditctl
    machine = None if ring else machine_of(context, entry)
    name = "" if machine is None else machine.name
    if name not in kept:
        kept[name] = Words(calls(name, release) if name else io_uring_operations(release))
    return kept[name]
