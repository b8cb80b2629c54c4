"""The checks: one module each, named after the check. The table `rulesets/checks.tsv` says which there are."""

from __future__ import annotations

from functools import lru_cache

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from auditlint.core.findings import Finding, FixLevel, Severity


@dataclass(frozen=True, slots=True)
class Check:
    """A row of `rulesets/checks.tsv`.

    `family` is the folder of `auditlint/checks/` that holds its module. `context` is what the check function takes:
    `rules` (RulesContext), `config` (ConfigContext), `cmdline` (CmdlineContext), `together` (SystemContext) or
    `suppressions` (SuppressionsContext). `requires` names triggers of the context, one of which must be present for
    the module to be imported at all (`*` for always): it keeps a cold start cheap, never changes a result. `fixes` are
    the levels that its fixes have, the best first; with two of them each fix is judged by itself. `pedantic` checks run
    only with --pedantic.
    """

    code: str
    name: str
    family: str
    severity: Severity
    context: str
    requires: frozenset[str]
    fixes: tuple[FixLevel, ...]
    pedantic: bool
    since: str
    summary: str
    evidence: str
    stage: str = "form"
    """When its unsafe fixes are applied: one of STAGES."""
    casts_doubt: bool = False
    """An error or warning of it says that the rule does not mean what it says."""
    doubted: bool = False
    """Its removal of a rule is unsafe where another finding casts doubt on the rule."""
    void_where: tuple[str, ...] = ()
    """The names of the checks whose findings make its own void in `advise`."""
    is_cost_advice: bool = False
    """Its hits are weighed by what following them saves."""

    @property
    def fix(self) -> FixLevel | None:
        """The best level that its fixes reach."""
        return self.fixes[0] if self.fixes else None

    @property
    def module(self) -> str:
        return f"auditlint.checks.{self.family}.{self.name.replace('-', '_')}"


STAGES = ("mistake", "calls", "rules", "form")
"""Causes before what follows from them: a rule that says something else than was meant, then calls that a rule
forgets, then whole rules that are missing, then what the rules cost and how they are written."""


@lru_cache(maxsize=1)
def all_checks() -> tuple[Check, ...]:
    """Every check, sorted by code. The tables are read once, however many inputs a run has."""
    families = {family: relations for family, *relations in rows("check-families.tsv")}
    usual = {family: _relations(relations, "") for family, relations in families.items()}
    checks: list[Check] = []
    for row in rows("checks.tsv"):
        values: list[Any] = list(row)
        values[5] = frozenset(values[5].split(","))
        values[6] = () if values[6] == "-" else tuple(values[6].split(","))
        values[7] = values[7] == "yes"
        values[11:] = _relations(families[row[2]], row[11]) if len(row) > 11 else usual[row[2]]
        checks.append(Check(*values))
    return tuple(checks)


def _relations(family: list[str], exceptions: str) -> tuple[str, bool, bool, tuple[str, ...], bool]:
    """The relations of a check to others, in the order of the fields of Check: those of its family, but for what its
    row says (`stage=rules,doubt=no`)."""
    stage, doubt, void, cost = family
    own = dict(part.split("=") for part in exceptions.split(",") if part)
    names = own["void"].split("+") if "void" in own else void.split(",")
    return (
        own.get("stage", stage),
        own.get("doubt", doubt) == "yes",
        own.get("doubted") == "yes",
        () if names == ["-"] else tuple(names),
        cost == "yes",
    )


@lru_cache(maxsize=1)
def checks_by_code() -> dict[str, Check]:
    """Every check by its code."""
    return {check.code: check for check in all_checks()}


def without_void(findings: Iterable[Finding], reported: Iterable[Finding]) -> list[Finding]:
    """The findings that `reported` does not make void: no rule, or none for calls and files, is taken then."""
    names = {finding.name for finding in reported}
    by_code = checks_by_code()
    return [finding for finding in findings if names.isdisjoint(by_code[finding.code].void_where)]


def matches(check: Check | Finding, selectors: Iterable[str]) -> bool:
    """Does a selector name the check: its code, its name, or a prefix of the code such as `AL3`?"""
    return any(
        check.name == selector or (selector.startswith("AL") and check.code.startswith(selector))
        for selector in selectors
    )
