"""AL606: privileged processes can change their login user."""

from __future__ import annotations

from auditlint.analysis.completeness import is_complete
from auditlint.checks.api import Hit, Hits, RulesContext, at_start


def check(context: RulesContext) -> Hits:
    if "--loginuid-immutable" in context.by_option or not is_complete(context):
        return
    if not context.with_field("auid"):
        return
    message = "processes with CAP_AUDIT_CONTROL can change auid, which the rules test; add --loginuid-immutable"
    yield Hit(at_start(context.program.sources[0]), message)
