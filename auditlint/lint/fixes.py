"""Fixes: which edits go together, and the bytes after them. Writing files is in `auditlint/io/rewriting.py`."""

from __future__ import annotations

from auditlint.lint.registry import STAGES, checks_by_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.core.findings import Edit, Finding, Fix, FixLevel
    from auditlint.core.source import Source
    from auditlint.load.program import Program


def choose(findings: Iterable[Finding], levels: frozenset[FixLevel]) -> list[Fix]:
    """The fixes of these levels that can be applied together: of two that touch a line, the first one wins.

    Each is proved for the lines as they stand, so the other one has to look at the new line first. A fix is taken whole
    or not at all.
    """
    chosen: list[Fix] = []
    taken: set[tuple[str, int]] = set()
    for finding in findings:
        fix = finding.fix
        if fix is None or fix.level not in levels or not fix.edits:
            continue
        lines = [(edit.source.path, number) for edit in fix.edits for number in _lines(edit)]
        if taken.isdisjoint(lines):
            chosen.append(fix)
            taken.update(lines)
    return chosen


def _stage(finding: Finding) -> int:
    """The place of the finding's check in STAGES."""
    return STAGES.index(checks_by_code()[finding.code].stage)


def causes(findings: Iterable[Finding], levels: frozenset[FixLevel]) -> list[Finding]:
    """The findings whose fixes come first: the same gap is not closed twice, and no mistake is copied."""
    found = fixable(findings, levels)
    first = min((_stage(finding) for finding in found), default=0)
    return [finding for finding in found if _stage(finding) == first]


def fixable(findings: Iterable[Finding], levels: frozenset[FixLevel]) -> list[Finding]:
    """The findings that have a fix of these levels."""
    return [finding for finding in findings if finding.fix is not None and finding.fix.level in levels]


def _lines(edit: Edit) -> range:
    """The numbers of the lines that an edit changes; one that takes out whole lines leaves the next one alone."""
    source = edit.source
    first = source.line_of(edit.start)
    last = source.line_of(edit.end)
    whole = first < last and not edit.text and source.starts[last - 1] == edit.end
    return range(first, last if whole else last + 1)


def apply(source: Source, edits: Iterable[Edit]) -> bytes:
    """The bytes of a source after edits that do not overlap; every other byte stays."""
    data = source.data
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not at <= edit.start <= edit.end <= len(data):
            raise ValueError("edits overlap or lie outside the file")
        parts += [data[at : edit.start], edit.text]
        at = edit.end
    parts.append(data[at:])
    return b"".join(parts)


def by_source(fixes: Sequence[Fix]) -> Mapping[str, list[Edit]]:
    """All edits, by the path of their file."""
    found: dict[str, list[Edit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            found.setdefault(edit.source.path, []).append(edit)
    return found


def keeps(before: Program, after: Program, fixes: Sequence[Fix]) -> bool:
    """Whether the lines that the fixes do not touch still give the kernel their rules, in the same order, and no
    further line fails."""
    touched = {(edit.source.path, line) for fix in fixes for edit in fix.edits for line in _lines(edit)}
    left = iter([entry.rule for entry in after.entries if entry.verdict == "rule"])
    for entry in before.entries:
        if entry.verdict == "rule" and not any(place in touched for place in _places(entry)) and entry.rule not in left:
            return False
    return _failed(after) <= _failed(before)


def _places(entry: Entry) -> Iterator[tuple[str, int]]:
    for part in entry.parts or (entry.at,):
        yield part.source.path, part.line


def _failed(program: Program) -> int:
    return sum(entry.verdict == "error" for entry in program.entries)
