"""GitHub workflow commands: one annotation for each finding. Nothing from an input can end or begin a command."""

from __future__ import annotations

from auditlint.core.escaping import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.core.findings import Finding
    from auditlint.lint.results import Result

_COMMANDS = {"error": "error", "warning": "warning", "advice": "notice"}


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _annotation(finding: Finding) -> str:
    at = finding.at
    line, column = at.source.position(at.span[0])
    end_line, end_column = at.source.position(at.span[1])
    properties = {"file": at.source.path, "line": str(line), "endLine": str(end_line)}
    if line == end_line:  # columns are allowed within one line only
        properties |= {"col": str(column), "endColumn": str(max(column, end_column - 1))}
    properties["title"] = f"{finding.code} {finding.name}"
    words = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {words}::{_data(finding.message)}\n"


def parts(result: Result) -> Iterator[str]:
    return map(_annotation, result.findings)
