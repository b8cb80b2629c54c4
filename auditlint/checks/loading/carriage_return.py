"""AL002: carriage returns at the end of lines."""

from __future__ import annotations

import re

from auditlint.analysis.trial_parse import reread
from auditlint.checks.api import (
    Edit,
    Entry,
    Fix,
    FixLevel,
    Hit,
    Hits,
    Location,
    RulesContext,
    Severity,
    Source,
    caused,
    consequence,
    line_bytes,
)

_ENDS = re.compile(rb"\r+(?=\n|\Z)")
_STRIPPED_SINCE = "3.1.2"


def check(context: RulesContext) -> Hits:
    refused = {id(entry) for entry in caused(context, "carriage-return")}
    stripped = context.program.is_directory and context.target.auditctl_at_least(_STRIPPED_SINCE)
    told: dict[int, list[tuple[Entry, Severity, str]]] = {}
    means: dict[int, set[int]] = {}
    if not stripped:
        for entry in context.entries:
            if line_bytes(entry).endswith(b"\r"):
                found = _effect(context, entry, refused)
                if found is not None:
                    told.setdefault(id(entry.at.source), []).append((entry, *found))
                elif _changes(context, entry):
                    means.setdefault(id(entry.at.source), set()).add(entry.at.line)
    for source in context.program.sources:
        ends = [found.span() for found in _ENDS.finditer(source.data)]
        if not ends:
            continue
        lines = told.get(id(source), [])
        if not lines:
            what = "augenrules removes it, `auditctl -R` does not" if stripped else "harmless here"
            fix = Fix("safe", "Remove the carriage returns", tuple(Edit(source, *end, b"") for end in ends))
            yield Hit(Location(source, ends[0]), f"line ends in a carriage return; {what}", (), fix, "advice")
        yield from _hits(source, lines, ends, means.get(id(source), set()))


def _effect(context: RulesContext, entry: Entry, refused: set[int]) -> tuple[Severity, str] | None:
    """What the carriage return of this line does, or None when it does nothing or another check tells."""
    if entry.verdict == "error":
        if id(entry) in refused:
            return "error", f"the carriage return becomes part of the last word; {consequence(context, entry)}"
        return None
    return ("warning", "the carriage return becomes part of the last value") if _changes(context, entry) else None


def _changes(context: RulesContext, entry: Entry) -> bool:
    """Whether the line asks for another rule without its carriage return."""
    plain = reread(context, line_bytes(entry).rstrip(b"\r")).line
    return [request.rule for request in plain.requests] != [request.rule for request in entry.line.requests]


def _hits(
    source: Source, lines: list[tuple[Entry, Severity, str]], ends: list[tuple[int, int]], means: set[int]
) -> Hits:
    """One hit a line; the first fix of a file also cleans the lines that nothing is said about. `means`: lines that
    would ask for another rule, such as a refused duplicate; they stay as they are."""
    own = {entry.at.line for entry, _, _ in lines} | means
    quiet = [Edit(source, *end, b"") for end in ends if source.line_of(end[0]) not in own]
    at_line = {source.line_of(end[0]): end for end in ends}
    for entry, severity, message in lines:
        end = at_line[entry.at.line]
        level: FixLevel = "safe" if severity == "error" else "unsafe"
        fix = Fix(level, "Remove the carriage return", (Edit(source, *end, b""), *quiet))
        quiet = []
        yield Hit(Location(source, end), message, (), fix, severity)
