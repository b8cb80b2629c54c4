"""The advice of the cost checks for one rule set, the greatest saving first."""

from __future__ import annotations

from importlib import import_module

from auditlint.checks import all_checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.checks import Check
    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject

_CODES = "AL5"


def ranked_advice(subject: RulesSubject) -> list[tuple[Check, Hit]]:
    """What the checks AL5xx say, but for the pedantic ones, by the instructions that following them saves."""
    features = subject.features
    found: list[tuple[Check, Hit]] = []
    for check in all_checks():
        if check.code.startswith(_CODES) and not check.pedantic and not features.isdisjoint(check.when):
            found += [(check, hit) for hit in import_module(check.module).check(subject)]
    return sorted(found, key=lambda pair: -pair[1].weight)
