"""AL403: the rules for 32-bit and 64-bit programs do not record the same calls."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import abi_gaps, at_arch, names_of, twin_fix
from auditlint.checks.api import Hit, Hits, RulesContext, entry_of

_MOST_NAMED = 8


def check(context: RulesContext) -> Hits:
    for gap in context.get(abi_gaps):
        if gap.forgotten == gap.wanted:
            continue
        at = at_arch(entry_of(gap.stored))
        programs = f"{gap.other.bits}-bit programs"
        names = names_of(gap.other, context.target, gap.forgotten or gap.uncovered)
        shown = ", ".join(names[:_MOST_NAMED]) + (
            f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        )
        if gap.forgotten:
            message = f"{shown} {'is' if len(names) == 1 else 'are'} not audited for {programs}, only for the others"
            yield Hit(at, message, (), twin_fix(context, gap, gap.forgotten))
        else:
            message = f"{shown} {'is' if len(names) == 1 else 'are'} audited for {programs} only under more conditions"
            yield Hit(at, message, (), None, "advice")
