"""Events of a log in the form that `match` reads."""

from __future__ import annotations

from auditlint.kernel.event import ID_NAMES, UNSET, Range
from auditlint.logs.replayer import Replayer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.kernel.event import Event, Number, PathObject
    from auditlint.logs.assembly import Record
    from auditlint.logs.records import Groups
    from auditlint.logs.replayer import Question, _Place


class EventReader(Replayer):
    """Collects the system calls of a log in `found`; whoever reads takes them out. Needs a question with rules."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.found: list[dict[str, Any]] = []

    def _call(self, event: list[Record], groups: Groups, kinds: list[bytes], places: list[bytes], node: bytes) -> Any:
        self._seen: list[_Place] = []
        cell = super()._call(event, groups, kinds, places, node)
        self.found.append(event_json(self._event(event, groups, kinds, self._seen, len(places))))
        return cell

    def _places(self, event: list[Record], bodies: list[bytes], groups: Groups, plan: object) -> list[_Place]:
        self._seen = super()._places(event, bodies, groups, plan)
        return self._seen


def event_json(event: Event) -> dict[str, Any]:
    """An event as `match` reads it; what is not known is left out."""
    data: dict[str, Any] = {"nr": event.nr, "abi": None if event.arch is None else f"{event.arch:x}"}
    data["a"] = [f"{value:x}" if isinstance(value, int) else None for value in event.args]
    outcome = event.outcome
    if outcome.returned is False:
        data["exit"] = None
    else:
        if isinstance(outcome.exit, int):
            data["exit"] = outcome.exit - (1 << 32) if outcome.exit >= 1 << 31 else outcome.exit
        if outcome.success is not None:
            data["success"] = outcome.success
    ids = {name: getattr(event.ids, name) for name in ID_NAMES}
    data["ids"] = {name: value for name, value in ids.items() if isinstance(value, int)}
    for name in ("pid", "ppid", "pers"):
        _put(data, name, getattr(event, name))
    if isinstance(event.session, int):
        data["session"] = "unset" if event.session == UNSET else event.session
    if event.exe is not None:
        data["exe"] = event.exe or None
    if not isinstance(event.family, Range):
        data["family"] = event.family
    if event.flags != 0:
        _put(data, "flags", event.flags)
    if event.label is not None:
        data["subj"] = event.label
    if event.objects is not None:
        data["objects"] = [_object(thing) for thing in event.objects]
    data["records"] = list(event.records or ())
    if event.objects is None:
        data["records"] = [name for name in data["records"] if name != "PATH"] + ["PATH"]
    return data


def _put(data: dict[str, Any], name: str, value: Number) -> None:
    if isinstance(value, int):
        data[name] = value


def _object(thing: PathObject) -> dict[str, Any]:
    data: dict[str, Any] = {"name": "(null)" if thing.name is None else thing.name, "type": thing.type}
    if thing.file is not None:
        data["file"] = thing.file
    if thing.mode is not None:
        data["mode"] = f"0{thing.mode:o}"
        _put(data, "ouid", thing.ouid)
        _put(data, "ogid", thing.ogid)
        if thing.inode is not None:
            data["inode"] = thing.inode
        for name, device in (("dev", thing.dev), ("rdev", thing.rdev)):
            if device is not None:
                data[name] = f"{device[0]}:{device[1]}"
    if thing.label is not None:
        data["obj"] = thing.label
    return data


def workload_lines(rows: dict[Any, list[int]], native: int | None) -> list[str]:
    """The recorded calls of the native ABI as a workload for `cost` and `optimize`: name, calls, errors."""
    calls: dict[str, list[int]] = {}
    others = 0
    for label, (events, _) in rows.items():
        _, _, _, _, _, call, arch, success, *_ = label
        if call is None:
            continue
        if arch != native or call.isdigit():
            others += events
            continue
        row = calls.setdefault(call, [0, 0])
        row[0] += events
        row[1] += events if success is False else 0
    lines = ["# calls that were recorded; a log does not hold the others"]
    if others:
        lines.append(f"# omitted: {others} calls of another ABI or without a name")
    ranked = sorted(calls.items(), key=lambda row: (-row[1][0], row[0]))
    return lines + [f"{name} {number} {errors}" for name, (number, errors) in ranked]
