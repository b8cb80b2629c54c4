"""Reports: pure functions from a result to text, a piece at a time; every form is a module with `parts`."""

from __future__ import annotations

from auditlint.core.findings import SEVERITIES
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.findings import Finding
    from auditlint.core.target import Target


@dataclass(frozen=True, slots=True)
class Judged:
    """An input with its kind and what it was judged for. `arch` is the kernel's ARCH, None for rules and command lines;
    `note` is one line about its load or about what had to be assumed, empty when there is nothing to say."""

    path: str
    kind: str
    kernel: str
    machine: str
    arch: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one requirement of a profile: `met`, `partly`, `missing`, `broken` (by the `never` rules) or
    `unknown`; the rules that record it as file and line; the lines that would record what is not."""

    id: str
    title: str
    state: str
    by: tuple[tuple[str, int], ...]
    lines: tuple[str, ...] = ()
    nevers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far one rule set meets a profile."""

    name: str
    met: tuple[Answer, ...]
    unmet: tuple[Answer, ...]
    not_judged: tuple[str, ...]
    path: str = ""


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
    inputs: tuple[Judged, ...] = ()
    profiles: tuple[Outcome, ...] = ()
    fail_on: str = "advice"
    """The lowest severity that counts as a failure, or `never`."""

    def fails(self, finding: Finding) -> bool:
        """Whether the finding makes the exit status 1."""
        words: tuple[str, ...] = (*SEVERITIES, "never")
        return self.fail_on != "never" and words.index(finding.severity) <= words.index(self.fail_on)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)
