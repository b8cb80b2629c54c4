"""GitLab code quality: a JSON list, fingerprints that survive moved lines."""

from __future__ import annotations

from auditlint.core.escaping import json_parts, printable
from auditlint.core.fingerprint import fingerprints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.lint.results import Result

_SEVERITIES = {"error": "critical", "warning": "major", "advice": "minor"}


def parts(result: Result) -> Iterator[str]:
    issues = (
        {
            "description": printable(finding.message),
            "check_name": f"{finding.code} {finding.name}",
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {
                "path": printable(finding.at.source.path.removeprefix("./")),
                "lines": {"begin": finding.at.line},
            },
        }
        for finding, fingerprint in zip(result.findings, fingerprints(result.findings), strict=True)
    )
    return json_parts([], "", issues, 1)
