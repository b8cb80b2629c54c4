"""AL512: `auid>=1000` before `auid!=unset`: every daemon pays for both tests."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, is_unset_test, live, others
from auditlint.analysis.rule_fields import reordered
from auditlint.checks.api import Entry, Fix, FixLevel, Hit, Hits, Rule, RulesContext, at_field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.cost.advice import Gain
    from auditlint.kernel.storage import Stored

_WORTH = 20.0
_MOST_LINES = 200
"""Lines that one fix changes."""


def check(context: RulesContext) -> Hits:
    swapped: list[tuple[Stored, Entry, Rule]] = []
    for stored, entry in live(context):
        rule = _swapped(stored.rule)
        if rule is not None:
            swapped.append((stored, entry, rule))
    if not swapped:
        return
    advisor = context.advisor
    saved: dict[str, float] = {}
    gains: dict[tuple[int, int], Gain] = {}
    for stored, _, rule in swapped:
        shape = advisor.shape(stored)
        if shape not in gains:
            gains[shape] = advisor.change([stored], [rule])
        for name, amount in gains[shape].saved.items():
            saved[name] = saved.get(name, 0.0) + amount
    gain = advisor.gain(saved)
    if gain.most < _WORTH or gain.least < -_WORTH:
        return
    entries = [entry for _, entry, _ in swapped]
    yield Hit(
        at_field(entries[0], "auid"),
        f"daemons pay for two tests of auid in {count(len(swapped), 'rule')}, because unset passes auid>=N; writing "
        f"auid!=unset first {gain}",
        others(entries[1:], "the same order"),
        _fix(context, swapped[:_MOST_LINES]),
        weight=gain.total,
        saved=gain.saved,
    )


def _fix(context: RulesContext, swapped: Sequence[tuple[Stored, Entry, Rule]]) -> Fix | None:
    """The fix of these lines; a later round fixes the rest."""
    title = "Write auid!=unset before auid>=N"
    fixes = [fix for _, entry, rule in swapped if (fix := reordered(context, entry, rule, title)) is not None]
    if not fixes:
        return None
    level: FixLevel = "safe" if all(fix.level == "safe" for fix in fixes) else "unsafe"
    return Fix(level, title, tuple(edit for fix in fixes for edit in fix.edits))


def _swapped(rule: Rule) -> Rule | None:
    """The rule with `auid!=unset` moved before the lower bound on auid."""
    fields = list(rule.fields)
    unset = next((number for number, field in enumerate(fields) if is_unset_test(field)), None)
    if unset is None:
        return None
    bound = next(
        (number for number, field in enumerate(fields[:unset]) if field.name == "auid" and field.op in (">", ">=")),
        None,
    )
    if bound is None:
        return None
    fields.insert(bound, fields.pop(unset))
    return replace(rule, fields=tuple(fields))
