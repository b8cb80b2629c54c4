"""SARIF 2.1.0 (OASIS, 2020): checks as rules with their pages, findings as results with fixes and fingerprints."""

from __future__ import annotations

import base64
from urllib.parse import quote

from auditlint import __version__
from auditlint.core.data import read_text
from auditlint.core.escaping import json_parts, plain, printable
from auditlint.core.fingerprint import fingerprints
from auditlint.lint.registry import all_checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from auditlint.core.findings import Edit, Finding, Fix
    from auditlint.core.source import Location, Source
    from auditlint.lint.results import Result

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}


def _uri(path: str) -> str:
    """A relative reference for a relative path, a file URI for an absolute one; any byte of a name is kept."""
    quoted = quote(path.encode("utf-8", "surrogateescape"))
    return "file://" + quoted if path.startswith("/") else quoted.removeprefix("./")


def _artifact(source: Source) -> dict[str, Any]:
    return {"uri": _uri(source.path)}


def _location(at: Location) -> dict[str, Any]:
    line, column = at.source.position(at.span[0])
    end_line, end_column = at.source.position(at.span[1])
    physical: dict[str, Any] = {"artifactLocation": _artifact(at.source)}
    if at.span != (0, 0):
        physical["region"] = {
            "startLine": line,
            "startColumn": column,
            "endLine": end_line,
            "endColumn": end_column,
            "byteOffset": at.span[0],
            "byteLength": at.span[1] - at.span[0],
        }
    location: dict[str, Any] = {"physicalLocation": physical}
    if at.message:
        location["message"] = {"text": printable(at.message)}
    return location


def _content(text: bytes) -> dict[str, str]:
    try:
        return {"text": text.decode()}
    except UnicodeDecodeError:
        return {"binary": base64.b64encode(text).decode()}


def _fix(fix: Fix) -> dict[str, Any]:
    by_path: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_path.setdefault(edit.source.path, []).append(edit)
    return {
        "description": {"text": f"{printable(fix.title)} ({fix.level})"},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(edits[0].source),
                "replacements": [
                    {
                        "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
                        "insertedContent": _content(edit.text),
                    }
                    for edit in edits
                ],
            }
            for edits in by_path.values()
        ],
    }


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(finding.message)},
        "locations": [_location(finding.at)],
        "partialFingerprints": {"auditlint/v1": fingerprint},
        "properties": {"evidence": plain(finding.evidence)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_location(related)} for number, related in enumerate(finding.related, 1)
        ]
    if finding.fix is not None and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix)]
    return result


def parts(result: Result) -> Iterator[str]:
    """One run; its rules are the checks that found something."""
    used = {finding.code for finding in result.findings}
    checks = [check for check in all_checks() if check.code in used]
    index = {check.code: number for number, check in enumerate(checks)}
    rules = []
    for check in checks:
        page = read_text(f"pages/{check.code}.md")
        rules.append(
            {
                "id": check.code,
                "name": check.name,
                "shortDescription": {"text": check.summary},
                "fullDescription": {"text": f"{check.summary}. Evidence: {check.evidence}"},
                "help": {"text": page, "markdown": page},
                "defaultConfiguration": {"level": _LEVELS[check.severity]},
                "properties": {"tags": [check.context, check.severity], "since": check.since},
            }
        )
    run = {
        "tool": {
            "driver": {"name": "auditlint", "semanticVersion": __version__, "version": __version__, "rules": rules}
        },
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(path)}} for path in result.paths],
        "results": [],
    }
    results = (
        _result(finding, index[finding.code], fingerprint)
        for finding, fingerprint in zip(result.findings, fingerprints(result.findings), strict=True)
    )
    report = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_parts(report, "results", results, 4)
