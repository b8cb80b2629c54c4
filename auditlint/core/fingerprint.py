"""Names for findings that survive moved lines: for SARIF and GitLab, and the same key as in baselines."""

from __future__ import annotations

from hashlib import sha256

from auditlint.lint.baseline import key

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
