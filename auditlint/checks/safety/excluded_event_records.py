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
        missing = lost(types, "event")
        if not missing or len(types) >= NEARLY_ALL * kernel_types():  # AL608 reports it
            continue
        missing = sorted(missing, key=lambda row: (row[1] != "warning", row[0] != "SYSCALL", row[0]))
        losses = "; ".join(f"{name} ({loss})" for name, _, loss in missing[:_SHOWN])
        more = f"; and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        whose = "every rule" if set(names) == {"msgtype"} else "the processes that match its other fields"
        message = f"the events of {whose} lack {losses}{more}"
        severe = any(severity == "warning" for _, severity, _ in missing)
        yield Hit(at_number(entry, names.index("msgtype")), message, (), None, "warning" if severe else "advice")
