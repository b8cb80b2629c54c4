"""AL513: a rule on a program that is tested at every system call."""

from __future__ import annotations

from auditlint.analysis.cost_rules import every_call, live
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, replace


def check(context: RulesContext) -> Hits:
    for stored, entry in live(context):
        rule = stored.rule
        if not every_call(stored) or rule.get("exe") is None or rule.get("dir") is not None:
            continue
        gain = context.advisor.change([stored], [replace(rule, mask=0)])
        purpose = "silences" if rule.action == "never" else "records"
        yield Hit(
            at_field(entry, "exe"),
            f"every system call of every task tests this rule, which {purpose} one program; naming the calls with -S "
            f"{gain}",
            weight=gain.total,
            saved=gain.saved,
        )
