"""`diff` as a comment on a change (Markdown), as annotations (GitHub) and as a page of its own (HTML)."""

from __future__ import annotations

from auditlint.compare.groups import groups
from auditlint.core.escaping import printable, without_commands
from auditlint.kernel.decision_trace import rule_name
from auditlint.reports.diff import group_lines, summary_lines, text_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.compare.groups import Group
    from auditlint.kernel.storage import Stored
    from auditlint.reports.diff import Result

MOST_GROUPS = 20
_LEVELS = {"less": "error", "key": "warning", "records": "warning"}
_MARKS = {"less": "loses", "more": "gains", "key": "renames", "records": "changes"}
_SPECIAL = frozenset("\\`*_[]<>|#")


def markdown_lines(result: Result) -> Iterator[str]:
    """A comment for a merge request: the verdict first, then a folded block for each group."""
    verdict = {"same": "record the same", "different": "**differ**", "unknown": "could not be compared in full"}
    yield f"### Audit rules: {_inline(result.a.path)} and {_inline(result.b.path)} {verdict[result.verdict]}"
    yield ""
    for line in summary_lines(result):
        yield _text(line)
        yield ""
    every = [group for group in groups(result.comparison.findings) if group.kind != "foreign"]
    for number, group in enumerate(every[:MOST_GROUPS], 1):
        first, *rest = group_lines(result, group, number)
        yield f"<details><summary>{_MARKS.get(group.kind, group.kind)}: {_html(first.partition(': ')[2])}</summary>"
        yield ""
        yield "```text"
        for line in rest:
            yield printable(line).replace("```", '"""')
        yield "```"
        yield ""
        yield "</details>"
    if len(every) > MOST_GROUPS:
        yield ""
        yield f"and {len(every) - MOST_GROUPS} more groups"


def _inline(text: str) -> str:
    return "`" + printable(text).replace("`", "'") + "`"


def _text(text: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in printable(text))


def _html(text: str) -> str:
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def github_lines(result: Result) -> Iterator[str]:
    """Annotations on the lines that decide, on those of B where there are any. Nothing from an input ends a command."""
    for number, group in enumerate(groups(result.comparison.findings), 1):
        level = _LEVELS.get(group.kind, "notice")
        if result.question == "at-least" and group.kind in ("more", "foreign", "own"):
            continue
        if not group.certain and level == "error":
            level = "warning"
        first, *rest = group_lines(result, group, number)
        message = first.partition("  ")[2]
        example = [line.strip() for line in rest if line.startswith(("   for example", "     A "))]
        where = _place(group)
        properties = f" file={_property(where[0])},line={where[1]},title=auditlint diff" if where is not None else ""
        yield f"::{level}{properties}::{_data(' '.join([message + '.', *example]))}"
    for line in summary_lines(result):
        yield f"::notice title=auditlint diff::{_data(line)}"


def _place(group: Group) -> tuple[str, int] | None:
    rules: Sequence[Stored] = (*group.b, *group.a)
    for rule in rules:
        if rule.entry is not None:
            at = rule.entry.at
            return at.source.path, at.source.line_of(at.span[0])
    return None


def _data(text: str) -> str:
    return without_commands(printable(text)).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def html_lines(result: Result) -> Iterator[str]:
    """A page that needs nothing else: no script, no style from elsewhere."""
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>auditlint diff</title>'
    yield "<style>body{font-family:sans-serif;max-width:70em;margin:auto}pre{white-space:pre-wrap}</style></head><body>"
    yield f"<h1>{_html(result.a.path)} and {_html(result.b.path)}</h1>"
    for line in summary_lines(result):
        yield f"<p>{_html(line)}</p>"
    for number, group in enumerate(groups(result.comparison.findings), 1):
        first, *rest = group_lines(result, group, number)
        names = ", ".join(rule_name(rule) for rule in (*group.a, *group.b))
        yield f"<h2>{_html(first)}</h2>"
        yield f"<p>{_html(names)}</p>"
        yield "<pre>" + "\n".join(_html(line) for line in rest) + "</pre>"
    yield "<h2>Report</h2><pre>" + "\n".join(_html(line) for line in text_lines(result)) + "</pre></body></html>"
