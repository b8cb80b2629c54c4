"""AL415: no rule watches the configuration of the audit system."""

from __future__ import annotations

from auditlint.analysis.completeness import is_complete
from auditlint.checks.api import Hit, Hits, RulesContext, at_start, own

_CONFIGURATION = "/etc/audit"


def check(context: RulesContext) -> Hits:
    from auditlint.core.path_lookup import inside

    if not is_complete(context):
        return
    places = [stored for stored in context.storage.rules if stored.path is not None and stored.rule.action == "always"]
    if not any(own(context, stored) for stored in places):
        return
    for stored in places:
        path = stored.path or ""
        if inside(path, _CONFIGURATION) or (stored.rule.get("dir") is not None and inside(_CONFIGURATION, path)):
            return
    message = f"changes of the audit rules themselves are not recorded: no rule watches {_CONFIGURATION}"
    yield Hit(at_start(context.program.sources[0]), message)
