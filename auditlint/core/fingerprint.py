"""Names for findings that survive moved lines: for SARIF and GitLab, and the same key as in baselines."""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.core.findings import Finding


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """One 64-digit name for each finding; several with the same key are told apart by their order."""
    seen: dict[str, int] = {}
    names = []
    for finding in findings:
        name = key(finding)
        seen[name] = seen.get(name, 0) + 1
        names.append(sha256(f"{name} {seen[name]}".encode("utf-8", "surrogateescape")).hexdigest())
    return names


def key(finding: Finding, path: str | None = None) -> str:
    """`code file hash`: the same for the same check on the same text of the same file, wherever the line stands. `path`
    is the file as seen from the baseline.

    A finding about the file as a whole, or about a blank place, is keyed by its file alone.
    """
    source, span = finding.at.source, finding.at.span
    if span == (0, 0):
        text = b""
    else:
        start, end = source.line_span(source.line_of(span[0]))
        text = b" ".join(source.data[start:end].split())
    return f"{finding.code} {path or source.path} {sha256(text).hexdigest()[:16]}"
