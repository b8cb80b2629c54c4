"""Which requirements of a profile rule sets meet: plain data for reports."""

from __future__ import annotations

from auditlint.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class RequirementState:
    """The state of one requirement of a profile: `met`, `partly`, `missing`, `broken` (by the `never` rules) or
    `unknown`; the rules that record it as file and line; the lines that would record what is missing."""

    id: str
    title: str
    state: str
    by: tuple[tuple[str, int], ...]
    lines: tuple[str, ...] = ()
    nevers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileResult:
    """Which requirements of a profile one rule set meets."""

    name: str
    met: tuple[RequirementState, ...]
    unmet: tuple[RequirementState, ...]
    not_judged: tuple[str, ...]
    path: str = ""
