"""The rules that the lines of a file describe, those that only this host refuses among them: an account or directory
that is missing there hides no other fault of the line."""

from __future__ import annotations

from auditlint.core.frozen import replace
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.model import Rule
    from auditlint.context.rules import RulesContext
    from auditlint.load.program import Entry

_BY_THE_KERNEL = ("kernel-ENOENT", "kernel-ENOTDIR", "kernel-ELOOP", "kernel-EPERM")
_BY_AUDITCTL = ("unknown-user", "unknown-group")


def meant(context: RulesContext) -> list[tuple[Rule, Entry]]:
    """Rules that load, and those that would on another host or before a lock, in file order."""
    if context.by_problem.keys().isdisjoint((*_BY_THE_KERNEL, *_BY_AUDITCTL)):
        return list(context.rules)
    return list(_meant(context))


def _meant(context: RulesContext) -> Iterator[tuple[Rule, Entry]]:
    from auditlint.auditctl.parse import Reader

    nobody = replace(context.facts, users=None, groups=None, users_missing=frozenset())
    reader = Reader(context.target, nobody)
    for entry in context.entries:
        if entry.rule is not None and entry.verdict == "rule":
            yield entry.rule, entry
        elif entry.problem is not None and entry.problem.kind in _BY_THE_KERNEL:
            if entry.rule is not None and all(request.kind == "add" for request in entry.line.requests):
                yield entry.rule, entry
        elif entry.problem is not None and entry.problem.kind in _BY_AUDITCTL:
            start, end = entry.line.span
            line = next(iter(reader.read(Source("", entry.line.source.data[start:end]))), None)
            if line is not None and line.problem is None and line.rule is not None:
                yield line.rule, replace(entry, line=line, rule=line.rule)
