"""AL404: a rule that names a system call and omits others that do the same."""

from __future__ import annotations

from auditlint.analysis.call_variants import adding, at_calls, missing
from auditlint.checks.api import Hit, Hits, RulesContext, Severity, entry_of, listed
from auditlint.core.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def check(context: RulesContext) -> Hits:
    library = list(rows("syscalls/c-library.tsv"))
    for gap in missing(context, "variants"):
        message = "; ".join(_part(present, absent) for present, absent in gap.pairs)
        used = [
            (call, instead)
            for call, instead in library
            if any(call in present and instead in absent for present, absent in gap.pairs)
        ]
        if used:
            message += "; " + ", ".join(f"the C library uses {instead} for {call}" for call, instead in used)
        severity: Severity | None = "warning" if used else None
        added = ",".join(name for _, absent in gap.pairs for name in absent)
        yield Hit(at_calls(entry_of(gap.stored)), message, (), adding(gap, f"Add {added} to -S"), severity)


def _part(present: Sequence[str], absent: Sequence[str]) -> str:
    """`mount is audited, but move_mount, which does the same, is not`."""
    are = "is" if len(present) == 1 else "are"
    do, are_not = ("does", "is not") if len(absent) == 1 else ("do", "are not")
    return f"{listed(present)} {are} audited, but {listed(absent)}, which {do} the same, {are_not}"
