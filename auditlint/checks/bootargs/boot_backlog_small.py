"""AL854: the queue for the boot is smaller than a boot needs."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import DEFAULT_LIMIT, LIMIT_SINCE, WANTED_LIMIT, limit, off_for_good
from auditlint.checks.api import CmdlineContext, Edit, Fix, Hit, Hits


def check(context: CmdlineContext) -> Hits:
    if context.without_audit or not context.kernel_at_least(LIMIT_SINCE):
        return
    for line in context.lines:
        found = limit(line)
        if found is None or off_for_good(line, context) is not None:
            continue
        parameter, number = found
        if not 0 < number < WANTED_LIMIT:
            continue
        octal = parameter.value is not None and parameter.value.isdigit() and parameter.value != str(number)
        small = number <= DEFAULT_LIMIT
        edit = Edit(parameter.source, *parameter.value_span, str(WANTED_LIMIT).encode())
        yield Hit(
            parameter.location(),
            f"audit_backlog_limit={parameter.value} is a queue of {number} records"
            + (" (a leading 0 means octal)" if octal else "")
            + (f", no more than the default of {DEFAULT_LIMIT}" if small else "")
            + f": records that find it full are lost or make the boot wait; hardening guides ask for {WANTED_LIMIT}",
            fix=Fix("unsafe", f"set it to {WANTED_LIMIT}", (edit,)),
            severity="warning" if small else "advice",
        )
