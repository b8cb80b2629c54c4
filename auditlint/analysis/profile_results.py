"""How far rule sets meet a profile: plain data for reports."""

from __future__ import annotations

from auditlint.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class RequirementState:
    """What came of one requirement of a profile: `met`, `partly`, `missing`, `broken` (by the `never` rules) or
    `unknown`; the rules that record it as file and line; the lines that would record what is not."""

    id: str
    title: str
    state: str
    by: tuple[tuple[str, int], ...]
    lines: tuple[str, ...] = ()
    nevers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileResult:
    """How far one rule set meets a profile."""

    name: str
    met: tuple[RequirementState, ...]
    unmet: tuple[RequirementState, ...]
    not_judged: tuple[str, ...]
    path: str = ""
