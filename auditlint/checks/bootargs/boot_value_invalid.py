"""AL855: an audit parameter with a value that the kernel reads differently."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LIMIT_SINCE, WORDS_SINCE, limits, switches
from auditlint.checks.api import CmdlineContext, Edit, Fix, Hit, Hits

_MEANT_OFF = frozenset({"no", "n", "false", "disable", "disabled", "none"})


def check(context: CmdlineContext) -> Hits:
    if context.without_audit:
        return
    words = context.kernel_at_least(WORDS_SINCE)
    for line in context.lines:
        for switch in switches(line, context):
            if switch.valid:
                continue
            value = switch.parameter.value or ""
            effect = "on" if switch.on else "off until the next boot"
            meant = "0" if value.lower() in {*_MEANT_OFF, "off"} else "1"
            reason = (
                "the kernel knows 0, 1, off and on, and reads any other value as on"
                if words
                else f"before Linux {WORDS_SINCE} the value must be a number, and a word counts as 0"
            )
            edit = Edit(switch.parameter.source, *switch.parameter.value_span, meant.encode())
            yield Hit(
                switch.parameter.location(),
                f"audit={value} turns auditing {effect}: {reason}",
                fix=Fix("unsafe", f"Write audit={meant}", (edit,)),
                severity="error" if switch.on != (meant == "1") else "warning",
            )
        if not context.kernel_at_least(LIMIT_SINCE):
            continue
        for parameter, number in limits(line):
            if number is None:
                yield Hit(
                    parameter.location(),
                    f"audit_backlog_limit={parameter.value} is ignored and the limit stays (64 by default): "
                    "not a number from 0 to 4294967295",
                )
