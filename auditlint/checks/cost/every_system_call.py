"""AL501: a rule whose fields are tested at every system call."""

from __future__ import annotations

from auditlint.analysis.cost_rules import every_call, live
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.cost.advice import Gain

_OWN_CHECK = ("dir", "exe")
_WHOLE_ABI = {"arch", "key"}


def check(context: RulesContext) -> Hits:
    gains: dict[tuple[int, int], Gain] = {}
    for stored, entry in live(context):
        rule = stored.rule
        names = {field.name for field in rule.fields}
        # `arch=b32 -S all` watches an ABI as a whole: it cannot be narrowed.
        if not every_call(stored) or rule.action != "always" or names & set(_OWN_CHECK) or names <= _WHOLE_ABI:
            continue
        shape = context.advisor.shape(stored)
        if shape not in gains:
            gains[shape] = context.advisor.change([stored], [replace(rule, mask=0)])
        yield Hit(
            at_line(entry),
            f"every system call tests this rule; naming the calls with -S {gains[shape]}",
            weight=gains[shape].total,
            saved=gains[shape].saved,
        )
