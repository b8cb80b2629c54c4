"""AL502: a directory rule with the mask of all system calls."""

from __future__ import annotations

from auditlint.analysis.cost_rules import PERM_MASK_SINCE, count, every_call, live, narrowed, worth
from auditlint.analysis.permission_masks import arch_takes_perm
from auditlint.checks.api import Hit, Hits, RulesContext, at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.cost.advice import Gain


def check(context: RulesContext) -> Hits:
    target = context.target
    by_perm = target.auditctl_at_least(PERM_MASK_SINCE)
    how = "arch and perm" if by_perm else "arch, perm and -S with its calls (auditlint explain AL502)"
    if not arch_takes_perm(context):  # AL145: auditctl refuses perm here, -S names the same calls
        how = "arch and -S with the calls of perm instead of it (auditlint explain AL502)"
    known: dict[tuple[int, int], tuple[str, Gain | None]] = {}
    for stored, entry in live(context):
        if not every_call(stored) or stored.rule.get("dir") is None:
            continue
        shape = context.advisor.shape(stored)
        if shape not in known:
            after = narrowed(stored.rule, target)
            gain = context.advisor.change([stored], after)
            text = f"written as {count(len(after), 'rule')} with {how} it {gain}" if after else ""
            known[shape] = text, gain if after and worth(gain, 10) else None
        text, better = known[shape]
        if better is not None:
            yield Hit(
                at_line(entry),
                f"every system call tests this directory watch; {text}",
                weight=better.total,
                saved=better.saved,
            )
