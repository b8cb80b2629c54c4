"""AL612: a never rule with a condition that an intruder can meet."""

from __future__ import annotations

import re

from auditlint.analysis.broad_conditions import who
from auditlint.analysis.list_order import at_list
from auditlint.analysis.rule_calls import MOST_CALLS
from auditlint.analysis.triggers import tests
from auditlint.auditctl.model import PERM_R
from auditlint.checks.api import Hit, Hits, Rule, RulesContext

_FOR_ALL = r"/(tmp|var/tmp|dev/shm|dev/mqueue|run/lock|var/lock)/*"
"""Where everybody may put files."""
_NO_FILTER = frozenset(("arch", "key"))
_FEW = 8
"""So many named calls are a purpose of their own."""


def check(context: RulesContext) -> Hits:
    storage = context.storage
    rules = [stored for stored in (*storage.exit, *storage.hashed) if stored.entry is not None]
    last = min((stored.prio for stored in rules if stored.rule.action == "always"), default=None)
    for stored in rules:
        if last is None or stored.rule.action != "never" or stored.prio < last or stored.entry is None:
            continue
        hidden = _open_to_all(stored.rule)
        if hidden:
            yield Hit(at_list(stored.entry), f"no later rule can record {hidden}")


def _open_to_all(rule: Rule) -> str:
    """What vanishes, if it is more than one purpose; else empty."""
    tested = {field.name: field for field in rule.fields if field.name in tests(rule) - _NO_FILTER}
    perm = tested.pop("perm", None)
    if set(tested) == {"dir"} and rule.mask.bit_count() > _FEW and re.fullmatch(_FOR_ALL, str(tested["dir"].value)):
        if perm is not None and perm.value == PERM_R:
            return ""
        return f"anything done with files in {tested['dir'].value}"
    if perm is not None or rule.mask.bit_count() <= MOST_CALLS or len(tested) != 1:
        return ""
    return who(next(iter(tested.values())))
