"""Fixes: which edits go together, and the bytes after them. Writing files is in `auditlint/rewrite.py`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditlint.findings import Edit, Finding, Fix, FixLevel
    from auditlint.source import Source


def choose(findings: Iterable[Finding], levels: frozenset[FixLevel]) -> list[Fix]:
    """The fixes of these levels that can be applied together: of two that touch, the first one wins.

    A fix is taken whole or not at all. Insertions at one place touch each other.
    """
    chosen: list[Fix] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for finding in findings:
        fix = finding.fix
        if fix is None or fix.level not in levels or not fix.edits:
            continue
        if any(_touches(edit, taken.get(edit.source.path, ())) for edit in fix.edits):
            continue
        chosen.append(fix)
        for edit in fix.edits:
            taken.setdefault(edit.source.path, []).append((edit.start, edit.end))
    return chosen


def _touches(edit: Edit, spans: Iterable[tuple[int, int]]) -> bool:
    return any(edit.start <= end and start <= edit.end for start, end in spans)


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
