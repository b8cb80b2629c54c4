"""AL851: `audit=0` on the kernel command line."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import off_for_good
from auditlint.checks.api import CmdlineContext, Hit, Hits


def check(context: CmdlineContext) -> Hits:
    if context.policy == "no-audit" or context.without_audit:
        return
    wanted = context.rules or context.policy == "audit"
    for line in context.lines:
        off = off_for_good(line, context)
        if off is None:
            continue
        yield Hit(
            off.parameter.location(),
            f"audit={off.parameter.value} turns auditing off until the next boot: auditctl exits 0 but loads no rule"
            + ("" if wanted else '; if that is intended, set policy = "no-audit"'),
            severity="error" if wanted else "advice",
        )
