"""AL404: a rule that names a system call and forgets others that do the same."""

from __future__ import annotations

from auditlint.analysis.call_variants import adding, at_calls, missing
from auditlint.checks.api import Hit, Hits, RulesContext, Severity, entry_of, listed
from auditlint.core.data import rows


def check(context: RulesContext) -> Hits:
    library = list(rows("syscalls/c-library.tsv"))
    for gap in missing(context, "variants"):
        parts = [f"{listed(present)} without {listed(absent)}" for present, absent in gap.pairs]
        message = f"names {'; '.join(parts)}: what does the same is recorded by no rule"
        used = [
            (call, instead)
            for call, instead in library
            if any(call in present and instead in absent for present, absent in gap.pairs)
        ]
        if used:
            message += "; " + ", ".join(f"the C library uses {instead} for {call}" for call, instead in used)
        severity: Severity | None = "warning" if used else None
        yield Hit(at_calls(entry_of(gap.stored)), message, (), adding(gap, "Name them too"), severity)
