"""AL606: privileged processes can change their login user."""

from __future__ import annotations

from auditlint.analysis.control_values import is_whole
from auditlint.context.rules import at_start
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    if "--loginuid-immutable" in subject.by_option or not is_whole(subject):
        return
    if not subject.with_field("auid"):
        return
    message = "rules ask for auid, which processes with CAP_AUDIT_CONTROL can change; --loginuid-immutable prevents it"
    yield Hit(at_start(subject.program.sources[0]), message)
