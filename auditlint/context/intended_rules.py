"""The rules that the lines of a file describe, those that only this host refuses among them: an account or directory
that is missing there hides no other fault of the line."""

from __future__ import annotations

from auditlint.core.frozen import replace
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

_BY_THE_KERNEL = ("kernel-ENOENT", "kernel-ENOTDIR", "kernel-ELOOP", "kernel-EPERM")
_BY_AUDITCTL = ("unknown-user", "unknown-group")


def intended_rules(
    entries: Sequence[Entry], by_problem: Mapping[str, Sequence[Entry]], target: Target, facts: Facts
) -> list[tuple[Rule, Entry]]:
    """Rules that load, and those that would on another host or before a lock, in file order."""
    if by_problem.keys().isdisjoint((*_BY_THE_KERNEL, *_BY_AUDITCTL)):
        return [(entry.rule, entry) for entry in entries if entry.rule is not None and entry.verdict == "rule"]
    return list(_intended(entries, target, facts))


def _intended(entries: Sequence[Entry], target: Target, facts: Facts) -> Iterator[tuple[Rule, Entry]]:
    from auditlint.auditctl.parse import Reader

    reader = Reader(target, replace(facts, users=None, groups=None, users_missing=frozenset()))
    for entry in entries:
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
