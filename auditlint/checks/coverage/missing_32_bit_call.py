"""AL405: a rule for 32-bit programs that names a call which C libraries replace by another."""

from __future__ import annotations

from auditlint.analysis.call_variants import adding, at_calls, missing
from auditlint.checks.api import Hit, Hits, RulesContext, entry_of, listed


def check(context: RulesContext) -> Hits:
    for gap in missing(context, "wide"):
        if gap.machine.bits != 32:
            continue
        present = tuple(dict.fromkeys(name for names, _ in gap.pairs for name in names))
        absent = tuple(dict.fromkeys(name for _, names in gap.pairs for name in names))
        are = "is" if len(absent) == 1 else "are"
        message = f"{listed(absent)}, which 32-bit programs use for {listed(present)}, {are} not audited"
        # With socketcall the rule would record all socket work.
        fix = None if "socketcall" in absent else adding(gap, f"Add {','.join(absent)} to -S")
        yield Hit(at_calls(entry_of(gap.stored)), message, (), fix)
