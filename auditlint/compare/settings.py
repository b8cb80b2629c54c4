"""What two loads leave in the kernel besides rules: settings, and how much of the file was loaded at all."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.load.program import Program


_NAMES = ("enabled", "failure", "rate_limit", "backlog_limit", "backlog_wait_time")


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting (`enabled`, `failure`, `backlog_limit`, ...) that differs after the loads; None: the load leaves it."""

    name: str
    a: int | None
    b: int | None


@dataclass(frozen=True, slots=True)
class LoadChange:
    """How the load of one side (`a` or `b`) ends early: `why`, and how many lines are lost by that, the first
    among them."""

    side: str
    why: str
    place: str
    lost: int


def settings(program: Program) -> dict[str, int]:
    """The settings that the load leaves, by name: the last value counts."""
    values: dict[str, int] = {}
    for entry in program.entries:
        if entry.lost or entry.verdict not in ("control", "rule", "delete"):
            continue
        for control in entry.control:
            if control.get("type") == "SET_FEATURE":
                values["loginuid_immutable"] = 1
            elif control.get("type") == "SET":
                values.update(
                    {name: value for name, value in control.items() if name in _NAMES and isinstance(value, int)}
                )
    if program.run.enabled is not None:
        values["enabled"] = program.run.enabled
    return values


def setting_changes(a: Program, b: Program) -> tuple[SettingChange, ...]:
    """The settings that differ after the two loads."""
    ours, theirs = settings(a), settings(b)
    return tuple(
        SettingChange(name, ours.get(name), theirs.get(name))
        for name in dict.fromkeys((*ours, *theirs))
        if ours.get(name) != theirs.get(name)
    )


def load_change(program: Program, side: str) -> LoadChange | None:
    """Where a load ends before the end of the file; None when all of it is read."""
    if program.run.refused is not None:
        lost = sum(1 for entry in program.entries if entry.rule is not None)
        return LoadChange(side, program.run.refused.message, program.merged.path, lost)
    stop = program.stopped_by
    if stop is None:
        return None
    place = f"{stop.at.source.path}:{stop.at.line}"
    why = stop.problem.message if stop.problem is not None else "auditctl stops"
    lost = sum(1 for entry in program.entries if entry is stop or (entry.lost and entry.rule is not None))
    return LoadChange(side, why, place, lost)
