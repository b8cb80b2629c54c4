"""Reports: pure functions from a result to text, a piece at a time; every form is a module with `parts`."""

from __future__ import annotations

from auditlint.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.findings import Finding
    from auditlint.target import Target


@dataclass(frozen=True, slots=True)
class Result:
    """What `check` found: the findings in order, the names of the inputs read, how many rules they hold, and one line
    per rule set about its load."""

    target: Target
    findings: tuple[Finding, ...]
    paths: tuple[str, ...]
    rules: int
    suppressed: int = 0
    notes: tuple[str, ...] = ()

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)
