"""AL019: -R in a rules file."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "nested-rule-file"):
        yield refusal(context, entry, "a rules file cannot load another one")
