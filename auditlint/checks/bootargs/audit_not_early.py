"""AL852: audit is wanted, but starts only when a program in user space turns it on."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import off_for_good, switches, with_word
from auditlint.checks.api import CmdlineContext, Fix, Hit, Hits, Location


def check(context: CmdlineContext) -> Hits:
    if context.policy == "no-audit" or context.without_audit:
        return
    for line in context.lines:
        if switches(line, context) or off_for_good(line, context) is not None:
            continue
        limit = line.last("audit_backlog_limit")
        wanted = context.policy == "audit" or context.rules
        if limit is None and not (wanted and line.complete):
            continue
        start = "a backlog limit is set, but " if limit is not None else ""
        at = limit.location() if limit is not None else Location(line.source, line.span)
        after = limit or (line.parameters[-1] if line.parameters else None)
        yield Hit(
            at,
            f"{start}init and its first children are never audited by system call, because audit=1 is missing",
            fix=Fix("unsafe", "Add audit=1", with_word(after, "audit=1")) if after is not None else None,
        )
