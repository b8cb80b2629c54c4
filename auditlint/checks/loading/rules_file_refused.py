"""AL001: auditctl turns the whole file away."""

from __future__ import annotations

from auditlint.analysis.load_summary import load_summary
from auditlint.checks.api import Hit, Hits, RulesContext, at_start


def check(context: RulesContext) -> Hits:
    program = context.program
    if program.run.refused is None:
        return
    source = program.sources[0] if program.sources else program.merged
    count = context.get(load_summary).rules
    lost = f"none of the {count} rules load" if count else "none of its lines is executed"
    yield Hit(at_start(source), f"{program.run.refused.message}; {lost}")
