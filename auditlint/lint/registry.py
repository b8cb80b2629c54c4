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

    @property
    def fix(self) -> FixLevel | None:
        """The best level that its fixes reach."""
        return self.fixes[0] if self.fixes else None

    @property
    def module(self) -> str:
        return f"auditlint.checks.{self.family}.{self.name.replace('-', '_')}"


@lru_cache(maxsize=1)
def all_checks() -> tuple[Check, ...]:
    """Every check, sorted by code. The table is read once, however many inputs a run has."""
    checks: list[Check] = []
    for row in rows("checks.tsv"):
        values: list[Any] = list(row)
        values[5] = frozenset(values[5].split(","))
        values[6] = () if values[6] == "-" else tuple(values[6].split(","))
        values[7] = values[7] == "yes"
        checks.append(Check(*values))
    return tuple(checks)


def matches(check: Check | Finding, selectors: Iterable[str]) -> bool:
    """Does a selector name the check: its code, its name, or a prefix of the code such as `AL3`?"""
    return any(
        check.name == selector or (selector.startswith("AL") and check.code.startswith(selector))
        for selector in selectors
    )
