"""AL609: excluded records are missing in events that rules record."""

from __future__ import annotations

from auditlint.analysis.excluded_records import NEARLY_ALL, dropped, kernel_types, lost
from auditlint.checks.api import Hit, Hits, RulesContext, at_number
from auditlint.kernel.exclude import KNOWN_FIELDS

_SHOWN = 3


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("exclude"):
        names = [field.name for field in rule.fields]
        if "msgtype" not in names or not KNOWN_FIELDS.issuperset(names):
            continue
        types = dropped(rule)
        found = lost(types, "event")
        if not found or len(types) >= NEARLY_ALL * kernel_types():  # AL608 tells
            continue
        found = sorted(found, key=lambda each: (each[1] != "warning", each[0] != "SYSCALL", each[0]))
        what = "; ".join(f"{name} ({loss})" for name, _, loss in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        whose = "every rule" if set(names) == {"msgtype"} else "the processes that its other fields fit"
        message = f"lost from the events of {whose}: {what}{more}"
        severe = any(severity == "warning" for _, severity, _ in found)
        yield Hit(at_number(entry, names.index("msgtype")), message, (), None, "warning" if severe else "advice")
