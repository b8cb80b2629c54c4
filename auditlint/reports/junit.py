"""JUnit XML: a suite for each input, a case for each finding, one passed case for an input without findings. A case has
failed when the finding makes the exit status 1; others have their text as output."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from auditlint.core.escaping import printable, without_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.core.findings import Finding
    from auditlint.lint.results import Result


def _case(path: str, finding: Finding, fails: bool) -> list[str]:
    line, column = finding.at.source.position(finding.at.span[0])
    name = f"{finding.code} {finding.name} {line}:{column}"
    where = printable(f"{path}:{line}:{column}: {finding.severity}: {finding.message}")
    kind, message = quoteattr(finding.severity), quoteattr(printable(finding.message))
    return [
        f"  <testcase classname={quoteattr(printable(path))} name={quoteattr(name)}>",
        f"   <failure type={kind} message={message}>{escape(where)}</failure>"
        if fails
        else f"   <system-out>{escape(where)}</system-out>",
        "  </testcase>",
    ]


def parts(result: Result) -> Iterator[str]:
    for line in _lines(result):
        yield without_commands(line, "#&#35;") + "\n"


def _lines(result: Result) -> Iterator[str]:
    by_path: dict[str, list[Finding]] = {path: [] for path in result.paths}
    for finding in result.findings:
        by_path.setdefault(finding.at.source.path, []).append(finding)
    total = sum(max(1, len(findings)) for findings in by_path.values())
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield f'<testsuites name="auditlint" tests="{total}" failures="{sum(map(result.fails, result.findings))}">'
    for path, findings in by_path.items():
        name = quoteattr(printable(path))
        failed = sum(map(result.fails, findings))
        yield f' <testsuite name={name} tests="{max(1, len(findings))}" failures="{failed}">'
        for finding in findings:
            yield from _case(path, finding, result.fails(finding))
        if not findings:
            yield f'  <testcase classname={name} name="no findings"/>'
        yield " </testsuite>"
    yield "</testsuites>"
