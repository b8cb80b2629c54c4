"""A decision about an event, as `match` prints it."""

from __future__ import annotations

from auditlint.auditctl.render import shown
from auditlint.kernel.decision_trace import steps
from auditlint.load.records import place_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.kernel.evaluate import Decision
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage


def decision_record(storage: Storage, event: Event | None, decision: Decision) -> dict[str, Any]:
    """One decision as JSON; with an event the steps are added."""
    by = decision.by
    record: dict[str, Any] = {
        "logged": decision.logged,
        "key": None if decision.key is None else shown(decision.key),
        "by": None if by is None or by.entry is None else place_record(by.entry.at),
        "list": None if by is None else by.rule.list,
        "records": None if decision.records is None else list(decision.records),
    }
    if event is not None:
        record["steps"] = [shown(step) for step in steps(storage, event, decision)]
    return record
