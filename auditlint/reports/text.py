"""The report for people: place, message, source frame with a caret, what is related, and a closing line."""

from __future__ import annotations

from auditlint.core.escaping import log_line, printable, without_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.analysis.profile_results import ProfileResult
    from auditlint.core.findings import Finding
    from auditlint.core.source import Location
    from auditlint.lint.results import Result

FRAME_WIDTH = 160
"""Characters of a source line shown; a longer line is cut around the place."""

_MOST_RULES = 6
_COLOURS = {"error": "31", "warning": "33", "advice": "36"}


def place(at: Location) -> str:
    """`file:line:column`; the file alone for a finding about the file as a whole."""
    path = printable(at.source.path)
    if path.lstrip().startswith("::"):
        path = f"./{path}"  # a line that starts with it is a command for GitHub
    if at.span == (0, 0):
        return path
    line, column = at.source.position(at.span[0])
    return f"{path}:{line}:{column}"


def frame(at: Location) -> list[str]:
    """The source line with a caret under the span; nothing for a finding about the file as a whole."""
    if at.span == (0, 0):
        return []
    source = at.source
    number = at.line
    start, end = source.line_span(number)
    first = at.span[0]
    if end - start > FRAME_WIDTH:  # cut around the place, on bytes: the line may be a million characters
        start = max(start, first - FRAME_WIDTH // 3)
        end = min(end, start + FRAME_WIDTH)
    last = max(first, min(at.span[1], end))
    before = printable(source.text((start, first))) if start < first else ""
    marked = printable(source.text((first, last)))
    after = printable(source.text((last, end))) if last < end else ""
    label = f"{number:5} | "
    return [
        f"{label}{before}{marked}{after}",
        " " * (len(label) - 2) + "| " + " " * len(before) + "^" * max(1, len(marked)),
    ]


class _Paint:
    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def _finding(finding: Finding, paint: _Paint) -> list[str]:
    head = f"{paint('1', place(finding.at))}: {paint(_COLOURS[finding.severity], finding.severity)}: "
    lines = [f"{head}{printable(finding.message)} [{finding.code} {finding.name}]"]
    lines += ["  " + row for row in frame(finding.at)]
    for related in finding.related:
        lines.append(f"  {place(related)}: {printable(related.message)}")
    if finding.fix is not None:
        lines.append(f"  fix ({finding.fix.level}): {printable(finding.fix.title)}")
    return lines


def _rules(places: tuple[tuple[str, int], ...]) -> str:
    shown = ", ".join(f"{path}:{line}" for path, line in places[:_MOST_RULES])
    return f"{shown} and {len(places) - _MOST_RULES} more" if len(places) > _MOST_RULES else shown


def _profile(outcome: ProfileResult) -> Iterator[str]:
    """Requirement by requirement: met or not, by which rules, and the lines that would record what is not."""
    yield f"profile {outcome.name} for {outcome.path}:"
    every = sorted((*outcome.met, *outcome.unmet), key=lambda each: each.state != "met")
    width = max((len(each.id) for each in every), default=0)
    for each in every:
        by, nevers = _rules(each.by), _rules(each.nevers)
        how = {"met": f", by {by}", "partly": f", in part by {by}", "broken": f", but for {nevers}"}.get(each.state, "")
        yield f"  {each.state:7}  {each.id:{width}}  {each.title}{how}"
        for line in each.lines:
            yield f"             {line}"
    if outcome.not_judged:
        yield f"  not checked: audit rules cannot show it: {'; '.join(outcome.not_judged)}"


def parts(result: Result, colour: bool = False) -> Iterator[str]:
    """The report finding by finding, so that a long one need not be held; its last line counts the findings."""
    paint = _Paint(colour)
    for finding in result.findings:
        yield without_commands("\n".join(_finding(finding, paint))) + "\n\n"
    for note in result.notes:
        yield without_commands(log_line(note)) + "\n"
    for outcome in result.profiles:
        for row in _profile(outcome):
            yield without_commands(log_line(row)) + "\n"
    yield without_commands(summary(result)) + "\n"


def summary(result: Result) -> str:
    """`3 files, 58 rules: 1 error, 2 warnings, 4 advice`."""

    def many(count: int, word: str) -> str:
        return f"{count} {word}" + ("" if count == 1 else "s")

    counts = ", ".join(
        [
            many(result.count("error"), "error"),
            many(result.count("warning"), "warning"),
            f"{result.count('advice')} advice",
        ]
    )
    tail = f" ({result.suppressed} suppressed)" if result.suppressed else ""
    return f"{many(len(result.paths), 'file')}, {many(result.rules, 'rule')}: {counts}{tail}"
