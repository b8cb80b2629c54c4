"""The records of an event, and which of them the exclude list leaves.

Source: audit_log_exit(), kernel/auditsc.c, 6.1.192: SYSCALL first; refused, nothing follows it.
"""

from __future__ import annotations

from auditlint.kernel.exclude import excluded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.eval_context import EvalContext
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage

_ANOMALY = "ANOM_LINK"


def starts_with_anomaly(event: Event) -> bool:
    """Whether another part of the kernel has logged already: a link refused by fs.protected_hardlinks.

    audit_log_path_denied(), kernel/audit.c. That it was logged also says that the context was no dummy.
    """
    return event.records is not None and _ANOMALY in event.records


def full(event: Event) -> tuple[str, ...] | None:
    """All records of the call when it is selected: as the event says, else what its objects imply."""
    if event.records is not None:
        return tuple(name for name in event.records if name != _ANOMALY)
    if event.objects is None:
        return None
    paths = ("CWD", *["PATH"] * len(event.objects)) if event.objects else ()
    address = ("SOCKADDR",) if isinstance(event.family, int) else ()
    return ("SYSCALL", *address, *paths, "PROCTITLE", "EOE")


def remaining(
    storage: Storage, event: Event, evaluation: EvalContext, first: tuple[str, ...], vanished: int
) -> tuple[str, ...] | None:
    """The records that are written: those logged before, then those of the event that are not excluded.

    `vanished` path objects were withheld by the filesystem list and have no record. None: not known.
    """
    names = full(event)
    if names is None:
        return None
    if vanished:
        left = [*names]
        for _ in range(min(vanished, left.count("PATH"))):
            left.remove("PATH")
        if "PATH" not in left and "CWD" in left:
            left.remove("CWD")
        names = tuple(left)
    if not storage.exclude:
        return first + names
    dropped = {name: excluded(storage.exclude, name, evaluation)[0] for name in set(names)}
    if any(answer is None for answer in dropped.values()):
        return None
    return first + tuple(name for name in names if not dropped[name])
