"""AL856: a word of the command line that looks like an audit parameter and has no effect."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LIMIT_SINCE, LSM_SINCE, limits, off_for_good, switches
from auditlint.checks.api import CmdlineContext, Hit, Hits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine, Parameter

_KNOWN = ("audit", "audit_backlog_limit")


def check(context: CmdlineContext) -> Hits:
    for line in context.lines:
        yield from _misplaced(line)
        if context.without_audit:
            for parameter in (*line.all("audit"), *line.all("audit_backlog_limit")):
                yield Hit(
                    parameter.location(),
                    f"{parameter.name} has no effect: this kernel has no CONFIG_AUDIT and passes the word to init",
                )
        else:
            yield from _audit_off(line, context)
            yield from _limit(line, context)
        yield from _lsm(line, context)


def _misplaced(line: CommandLine) -> Hits:
    for parameter in line.parameters:
        key = parameter.key
        if parameter.for_init:
            if key in _KNOWN:
                yield Hit(
                    parameter.location(),
                    f"{parameter.name} has no effect after --: the kernel passes it to init",
                )
        elif key in _KNOWN:
            if parameter.value is None:
                yield Hit(
                    parameter.location(),
                    f"{parameter.name} has no effect without =VALUE: the kernel passes it to init",
                )
        elif key.lower().startswith("audit") or "audit_backlog" in key.lower() or key.lower() == "backlog_limit":
            yield Hit(parameter.location(), f"the kernel has no parameter {parameter.name}{_meant(parameter)}")


def _meant(parameter: Parameter) -> str:
    if parameter.key.lower() in _KNOWN:
        return f"; names are in lower case: {parameter.key.lower()}"
    limit = "backlog" in parameter.key.lower()
    return "; did you mean audit_backlog_limit=?" if limit else "; it knows audit= and audit_backlog_limit="


def _audit_off(line: CommandLine, context: CmdlineContext) -> Hits:
    off = off_for_good(line, context)
    if off is None:
        return
    because = off.parameter.location("turns audit off until the next boot")
    for switch in switches(line, context):
        if switch.on:
            yield Hit(
                switch.parameter.location(),
                f"audit={switch.parameter.value} has no effect: it never undoes audit={off.parameter.value}",
                (because,),
            )
    for parameter, _ in limits(line):
        message = f"{parameter.name} has no effect: audit={off.parameter.value} turns audit off"
        yield Hit(parameter.location(), message, (because,))


def _limit(line: CommandLine, context: CmdlineContext) -> Hits:
    given = limits(line)
    if given and not context.kernel_at_least(LIMIT_SINCE):
        for parameter, _ in given:
            yield Hit(
                parameter.location(),
                f"audit_backlog_limit= has no effect on Linux {context.kernel}: it exists since {LIMIT_SINCE}",
            )
        return
    good = [(parameter, number) for parameter, number in given if number is not None]
    for parameter, number in good[:-1]:
        last, wins = good[-1]
        if number != wins:
            message = f"{parameter.name} has no effect: a later audit_backlog_limit= replaces it"
            yield Hit(parameter.location(), message, (last.location("replaces it"),))


def _lsm(line: CommandLine, context: CmdlineContext) -> Hits:
    order = line.last("lsm")
    if order is None:
        return
    if not context.kernel_at_least(LSM_SINCE):
        yield Hit(
            order.location(),
            f"lsm= has no effect on Linux {context.kernel}: it exists since {LSM_SINCE}; use security=",
        )
        return
    for parameter in line.all("security"):
        yield Hit(parameter.location(), "security= has no effect: lsm= replaces it", (order.location("decides"),))
