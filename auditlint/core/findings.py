"""What a check says: hits from checks, findings for reports, edits for fixes."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, TypeAlias

    from auditlint.core.source import Location, Source

Severity: TypeAlias = "Literal['error', 'warning', 'advice']"
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "advice")
FixLevel: TypeAlias = "Literal['safe', 'unsafe']"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes start..end of a source by `text`."""

    source: Source
    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together. `safe`: proved to keep what is recorded; `unsafe`: changes it, or may."""

    level: FixLevel
    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a check function yields: where, what, and what else is involved.

    `severity` and `evidence` override the row of the check in `rulesets/checks.tsv`. `weight` ranks advice on
    cost: the instructions that following it saves, summed over the measured operations; `saved` are the instructions
    by operation.
    """

    at: Location
    message: str
    related: tuple[Location, ...] = ()
    fix: Fix | None = None
    severity: Severity | None = None
    evidence: str | None = None
    weight: float = 0.0
    saved: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit with the identity of its check, ready for a report."""

    code: str
    name: str
    severity: Severity
    message: str
    at: Location
    related: tuple[Location, ...]
    evidence: str
    fix: Fix | None


def listed(names: Sequence[str]) -> str:
    """Names in a message: `a`, `a and b`, `a, b and c`; empty for none."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
