"""AL502: a directory rule with the mask of all system calls."""

from __future__ import annotations

from auditlint.analysis.cost_rules import PERM_MASK_SINCE, count, every_call, live, narrowed, worth
from auditlint.analysis.permission_masks import arch_takes_perm
from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    target = context.target
    by_perm = target.auditctl_at_least(PERM_MASK_SINCE)
    how = (
        "arch and perm"
        if by_perm
        else "arch, its perm and -S with the calls of that perm (auditlint explain AL502 lists them)"
    )
    if not arch_takes_perm(context):  # AL145: perm is out, -S says the same
        how = "arch and -S with the calls of its perm in its place (auditlint explain AL502 lists them)"
    advice: dict[tuple[int, int], tuple[str, float]] = {}
    for stored, entry in live(context):
        if not every_call(stored) or stored.rule.get("dir") is None:
            continue
        shape = context.advisor.shape(stored)
        if shape not in advice:
            after = narrowed(stored.rule, target)
            gain = context.advisor.change([stored], after)
            text = f"written as {count(len(after), 'rule')} with {how} it {gain}" if after and worth(gain, 10) else ""
            advice[shape] = text, gain.total
        text, weight = advice[shape]
        if text:
            yield Hit(
                at_line(entry),
                f"every system call tests this directory watch; {text}",
                weight=weight,
            )
