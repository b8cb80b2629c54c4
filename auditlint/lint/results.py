"""What a run of `check` has found, for reports."""

from __future__ import annotations

from auditlint.core.findings import SEVERITIES
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.analysis.profile_results import ProfileResult
    from auditlint.analysis.system_state import SystemState
    from auditlint.core.findings import Finding
    from auditlint.core.target import Target


@dataclass(frozen=True, slots=True)
class JudgedInput:
    """An input with its kind and what it was judged for. `arch` is the kernel's ARCH, None for rules and command lines;
    `note` is one line about its load or about what had to be assumed, empty when there is nothing to say."""

    path: str
    kind: str
    kernel: str
    machine: str
    arch: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Result:
    """What `check` found: the findings in order, the names of the files read, how many rules they hold, and one line
    per rule set about its load."""

    target: Target
    findings: tuple[Finding, ...]
    paths: tuple[str, ...]
    rules: int
    suppressed: int = 0
    notes: tuple[str, ...] = ()
    inputs: tuple[JudgedInput, ...] = ()
    profiles: tuple[ProfileResult, ...] = ()
    fail_on: str = "advice"
    """The lowest severity that counts as a failure, or `never`."""
    state: SystemState | None = None
    """Of `advise`: what becomes of audit on the system as a whole."""

    def fails(self, finding: Finding) -> bool:
        """Whether the finding makes the exit status 1."""
        words: tuple[str, ...] = (*SEVERITIES, "never")
        return self.fail_on != "never" and words.index(finding.severity) <= words.index(self.fail_on)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)
