"""AL853: audit is on from boot, with the default queue of 64 records."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import (
    DEFAULT_LIMIT,
    LIMIT_SINCE,
    WANTED_LIMIT,
    off_for_good,
    switches,
    with_word,
)
from auditlint.checks.api import CmdlineContext, Fix, Hit, Hits


def check(context: CmdlineContext) -> Hits:
    if context.without_audit or not context.kernel_at_least(LIMIT_SINCE):
        return
    for line in context.lines:
        on = switches(line, context)
        if not on or not line.complete or off_for_good(line, context) is not None or line.last("audit_backlog_limit"):
            continue
        last = on[-1].parameter
        word = f"audit_backlog_limit={WANTED_LIMIT}"
        yield Hit(
            last.location(),
            f"a burst of events at boot is lost or slows the boot: the queue holds {DEFAULT_LIMIT} records until "
            f"auditctl -b is loaded; add {word}",
            fix=Fix("unsafe", f"Add {word}", with_word(last, word)),
        )
