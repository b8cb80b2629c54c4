"""AL506: rules that differ only in their system calls."""

from __future__ import annotations

from bisect import bisect_left

from auditlint.analysis.cost_rules import count, live, others
from auditlint.analysis.fix_safety import merging
from auditlint.analysis.unknown_syscalls import call_lists
from auditlint.checks.api import ALL_SYSCALLS, Fix, Hit, Hits, Rule, RulesContext, at_line, line_bytes, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored

_MOST_STEPS = 200_000
"""Comparisons with the rules in between, over a whole rule set; what lies beyond is not proposed."""


_MOST_LINES = 100
"""More lines in one would be too long a line."""


def check(context: RulesContext) -> Hits:
    groups: dict[object, list[Stored]] = {}
    for stored, _ in live(context):
        rule = stored.rule
        if rule.mask != ALL_SYSCALLS and not rule.prepend:
            groups.setdefault((rule.action, frozenset(rule.fields), len(rule.fields)), []).append(stored)
    order = sorted((*context.storage.exit, *context.storage.hashed), key=lambda stored: -stored.prio)
    places = {stored.index: number for number, stored in enumerate(order)}
    # Only a rule with the other action can block: those of each action with their places, in order.
    opposed = {
        action: [(number, stored) for number, stored in enumerate(order) if stored.rule.action != action]
        for action in {stored.rule.action for stored in order}
    }
    left = _MOST_STEPS
    for group in groups.values():
        first = group[0]
        merged = [first]
        for stored in group[1:]:
            others_of_action = opposed[stored.rule.action]
            start = bisect_left(others_of_action, places[first.index], key=_number)
            end = bisect_left(others_of_action, places[stored.index], key=_number)
            if end - start > left:
                continue
            left -= end - start
            if not _blocked(context.algebra, stored, [other for _, other in others_of_action[start:end]]):
                merged.append(stored)
        rest = [stored.entry for stored in merged[1:] if stored.entry is not None]
        if not rest or first.entry is None:
            continue
        union = 0
        for stored in merged:
            union |= stored.rule.mask
        gain = context.advisor.change(merged, [replace(first.rule, mask=union)])
        yield Hit(
            at_line(rest[0]),
            f"{count(len(merged), 'rule')} differ only in their system calls; one rule with all of them {gain}",
            (at_line(first.entry, "the first of them"), *others(rest[1:], "can be merged, too")),
            fix=_fix(context, merged, replace(first.rule, mask=union)),
            weight=gain.total,
            saved=gain.saved,
        )


def _fix(context: RulesContext, merged: Sequence[Stored], wanted: Rule) -> Fix | None:
    """The fix that adds the calls of all lines to those of the first one."""
    texts = [line_bytes(stored.entry) for stored in merged if stored.entry is not None]
    lists = call_lists(texts[0])
    if not lists or len(merged) > _MOST_LINES:
        return None
    present = [name for start, end in lists for name in texts[0][start:end].split(b",")]
    added = [text[start:end] for text in texts[1:] for start, end in call_lists(text)]
    names = [name for name in dict.fromkeys(b",".join(added).split(b",")) if name and name not in present]
    end = lists[-1][1]
    text = texts[0][:end].rstrip(b",") + b"".join(b"," + name for name in names) + texts[0][end:]
    return merging(context, merged, f"Merge the {len(merged)} rules into the first one", text, wanted)


def _number(numbered: tuple[int, Stored]) -> int:
    return numbered[0]


def _blocked(algebra: Algebra, stored: Stored, between: Sequence[Stored]) -> bool:
    """Whether a rule in between, all of the other action, shares an event with the rule that would move up."""
    return any(other.mask & stored.mask and algebra.overlap(other, stored) is not False for other in between)
