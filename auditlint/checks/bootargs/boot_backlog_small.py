"""AL854: the queue for the boot is smaller than a boot needs."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import DEFAULT_LIMIT, LIMIT_SINCE, WANTED_LIMIT, limit, off_for_good
from auditlint.checks.api import CmdlineContext, Edit, Fix, Hit, Hits


def check(context: CmdlineContext) -> Hits:
    if context.without_audit or not context.kernel_at_least(LIMIT_SINCE):
        return
    for line in context.lines:
        last = limit(line)
        if last is None or off_for_good(line, context) is not None:
            continue
        parameter, number = last
        if not 0 < number < WANTED_LIMIT:
            continue
        octal = parameter.value is not None and parameter.value.isdigit() and parameter.value != str(number)
        small = number <= DEFAULT_LIMIT
        records = "record" if number == 1 else "records"
        edit = Edit(parameter.source, *parameter.value_span, str(WANTED_LIMIT).encode())
        yield Hit(
            parameter.location(),
            f"a burst of events at boot is lost or slows the boot: the queue holds only {number} {records}"
            + (" (a leading 0 means octal)" if octal else "")
            + (f", no more than the default of {DEFAULT_LIMIT}" if small else "")
            + f"; set {WANTED_LIMIT}",
            fix=Fix("unsafe", f"Set audit_backlog_limit={WANTED_LIMIT}", (edit,)),
            severity="warning" if small else "advice",
        )
