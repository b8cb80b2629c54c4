"""AL851: `audit=0` on the kernel command line."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import off_for_good
from auditlint.checks.api import CmdlineContext, Hit, Hits


def check(context: CmdlineContext) -> Hits:
    if context.policy == "no-audit" or context.without_audit:
        return
    wanted = context.rules or context.policy == "audit"
    for line in context.lines:
        found = off_for_good(line, context)
        if found is None:
            continue
        yield Hit(
            found.parameter.location(),
            f"audit={found.parameter.value} switches auditing off until the next boot: rules cannot be loaded, "
            "auditctl gets ECONNREFUSED and exits 0, and nothing on the running system can undo it"
            + ("" if wanted else '; if that is meant, say so with policy = "no-audit"'),
            severity="error" if wanted else "advice",
        )
