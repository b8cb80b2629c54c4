"""AL223: a rule of the user, exclude or filesystem list that tests nothing."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal_of_mistake
from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    for name in ("user", "exclude", "filesystem"):
        for rule, entry in context.on_list(name):
            if not rule.fields or (name == "filesystem" and rule.get("fstype") is None):
                what = "without a field" if name != "filesystem" else "without fstype"
                fix = removal_of_mistake(context, entry)
                yield Hit(at_line(entry), f"the rule never matches: it is on the {name} list {what}", (), fix)
