"""What becomes of audit on a system as a whole: the state that `advise` shows before its findings."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import DEFAULT_LIMIT, LIMIT_SINCE, limit, off_for_good, switches
from auditlint.analysis.load_summary import load_summary
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.context.system import SystemContext


@dataclass(frozen=True, slots=True)
class SystemState:
    """None means not known.

    `built_in`, `syscalls`: CONFIG_AUDIT and CONFIG_AUDITSYSCALL; `at_boot`: the command line switches audit on
    from boot; it does not where it says audit=0 or nothing of it; `backlog`: records that may wait during the boot;
    `loaded` of `rules` rule lines load, and `stopped_at` is the line at which auditctl gives up; `auditd` is the state
    of the service, or `missing`; `source` is the file of the image that says so.
    """

    built_in: bool | None
    syscalls: bool | None
    at_boot: bool | None
    backlog: int | None
    loaded: int
    rules: int
    stopped_at: tuple[str, int] | None
    auditd: str | None
    source: str | None


def system_state(context: SystemContext) -> SystemState:
    """The state of all parts together; of the rules as the one directory that they end up in."""
    pairs = [(line, cmdline) for cmdline in context.cmdlines for line in cmdline.lines]
    complete = bool(pairs) and all(line.complete for line, _ in pairs)
    at_boot = False if complete else None
    if any(off_for_good(line, cmdline) is not None for line, cmdline in pairs):
        at_boot = False
    elif any(switch.on for line, cmdline in pairs for switch in switches(line, cmdline)):
        at_boot = True
    sizes = [given[1] for line, cmdline in pairs if cmdline.kernel_at_least(LIMIT_SINCE) and (given := limit(line))]
    backlog = sizes[-1] if sizes else DEFAULT_LIMIT if complete else None
    loaded = rules = 0
    stopped_at = None
    if context.rules:
        combined = context.combined
        load = combined.get(load_summary)
        loaded, rules = (0 if combined.program.run.refused is not None else load.loaded), load.rules
        if load.stop is not None:
            stopped_at = load.stop.at.source.path, load.stop.at.line
    auditd, source = _auditd(context)
    built_in, syscalls = context.symbol("AUDIT"), context.symbol("AUDITSYSCALL")
    return SystemState(built_in, syscalls, at_boot, backlog, loaded, rules, stopped_at, auditd, source)


def _auditd(context: SystemContext) -> tuple[str | None, str | None]:
    user_space = context.user_space
    if user_space is None or not user_space.whole:
        return None, None
    if user_space.auditd is None:
        return "missing", None
    service = next((service for service in user_space.services if service.name == "auditd"), None)
    return ("not known", None) if service is None else (service.state, service.source)


def state_record(state: SystemState, auditctl: str | None) -> dict[str, Any]:
    """The form of `state` in `advise --format json`; `auditctl` is the release that the image has."""
    stopped = None if state.stopped_at is None else {"file": state.stopped_at[0], "line": state.stopped_at[1]}
    return {
        "audit": {
            "built_in": state.built_in,
            "syscalls": state.syscalls,
            "at_boot": state.at_boot,
            "backlog": state.backlog,
        },
        "rules": {"loaded": state.loaded, "of": state.rules, "stopped_at": stopped},
        "user_space": {"auditctl": auditctl, "auditd": state.auditd, "source": state.source},
    }
