"""AL855: an audit parameter with a value that the kernel reads otherwise than it looks."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LIMIT_SINCE, WORDS_SINCE, limits, switches
from auditlint.checks.api import CmdlineContext, Edit, Fix, Hit, Hits

_MEANT_OFF = frozenset({"no", "n", "false", "disable", "disabled", "none"})


def check(context: CmdlineContext) -> Hits:
    if context.without_audit:
        return
    words = context.kernel_at_least(WORDS_SINCE)
    for line in context.lines:
        for found in switches(line, context):
            if found.valid:
                continue
            value = found.parameter.value or ""
            took = "on" if found.on else "OFF until the next boot"
            meant = "0" if value.lower() in {*_MEANT_OFF, "off"} else "1"
            how = (
                "only 0, 1, off and on are values; anything else is reported at boot and taken as on"
                if words
                else f"before Linux {WORDS_SINCE} the value is a number, and what is none counts as 0"
            )
            edit = Edit(found.parameter.source, *found.parameter.value_span, meant.encode())
            yield Hit(
                found.parameter.location(),
                f"audit={value} switches auditing {took}: {how}",
                fix=Fix("unsafe", f"write audit={meant}", (edit,)),
                severity="error" if found.on != (meant == "1") else "warning",
            )
        if not context.kernel_at_least(LIMIT_SINCE):
            continue
        for parameter, number in limits(line):
            if number is None:
                yield Hit(
                    parameter.location(),
                    f"audit_backlog_limit={parameter.value} is no number from 0 to 4294967295: the kernel reports it "
                    "and keeps the limit it had (64 by default)",
                )
