"""AL606: privileged processes can change their login user."""

from __future__ import annotations

from auditlint.analysis.control_values import is_whole
from auditlint.context.rules import at_start
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    if "--loginuid-immutable" in context.by_option or not is_whole(context):
        return
    if not context.with_field("auid"):
        return
    message = "rules ask for auid, which processes with CAP_AUDIT_CONTROL can change; --loginuid-immutable prevents it"
    yield Hit(at_start(context.program.sources[0]), message)
