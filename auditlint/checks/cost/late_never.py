"""AL520: a never rule that calls reach only after rules that cannot match them."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count
from auditlint.checks.api import Hit, Hits, RulesContext, at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.storage import Stored

_WORTH = 100.0
_MOST_STEPS = 5_000
"""Comparisons with earlier rules, over a whole rule set; rules beyond are assumed to be where they must be."""


def check(context: RulesContext) -> Hits:
    rules = context.storage.exit
    advisors = [context.advisor]
    left = _MOST_STEPS
    for stored in rules:
        if stored.rule.action != "never" or stored.entry is None or not stored.position:
            continue
        if len(advisors) == 1:
            advisors.append(context.user_advisor)
        ending = [advisor for advisor in advisors if advisor.ends(stored)]
        if not ending:
            continue
        passed: list[Stored] = []
        for other in reversed(rules[: stored.position]):
            if other.mask & stored.mask:
                left -= 1
                if left < 0 or context.algebra.overlap(other, stored) is not False:
                    break
            passed.append(other)
        gain = max((advisor.cut(stored, passed) for advisor in ending), key=lambda gain: gain.total)
        if gain.most >= _WORTH:
            yield Hit(
                at_line(stored.entry),
                f"its calls first test {count(len(passed), 'rule')} that cannot match them; moving it before those "
                f"{gain}",
                weight=gain.total,
                saved=gain.saved,
            )
