"""AL856: a word of the command line that looks as if it set up auditing and does nothing."""

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
                yield Hit(parameter.location(), "this kernel has no CONFIG_AUDIT: the word goes to init")
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
                    f"{parameter.name} stands behind --: it goes to init, the kernel does not read it",
                )
        elif key in _KNOWN:
            if parameter.value is None:
                yield Hit(
                    parameter.location(),
                    f"{parameter.name} without =VALUE is no parameter of the kernel; it goes to init",
                )
        elif key.lower().startswith("audit") or "audit_backlog" in key.lower() or key.lower() == "backlog_limit":
            yield Hit(parameter.location(), f"the kernel has no parameter {parameter.name}{_meant(parameter)}")


def _meant(parameter: Parameter) -> str:
    if parameter.key.lower() in _KNOWN:
        return f"; names are in lower case: {parameter.key.lower()}"
    limit = "backlog" in parameter.key.lower()
    return "; did you mean audit_backlog_limit=?" if limit else "; it has audit= and audit_backlog_limit="


def _audit_off(line: CommandLine, context: CmdlineContext) -> Hits:
    off = off_for_good(line, context)
    if off is None:
        return
    because = off.parameter.location("switches audit off until the next boot")
    for found in switches(line, context):
        if found.on:
            yield Hit(
                found.parameter.location(),
                f"audit={found.parameter.value} does not undo audit={off.parameter.value}, wherever it stands",
                (because,),
            )
    for parameter, _ in limits(line):
        yield Hit(parameter.location(), "audit is off, so its backlog limit has no effect", (because,))


def _limit(line: CommandLine, context: CmdlineContext) -> Hits:
    found = limits(line)
    if found and not context.kernel_at_least(LIMIT_SINCE):
        for parameter, _ in found:
            yield Hit(
                parameter.location(),
                f"audit_backlog_limit= exists from Linux {LIMIT_SINCE} on; this is {context.kernel}",
            )
        return
    good = [(parameter, number) for parameter, number in found if number is not None]
    for parameter, number in good[:-1]:
        last, wins = good[-1]
        if number != wins:
            yield Hit(parameter.location(), "a later audit_backlog_limit= wins", (last.location("this one counts"),))


def _lsm(line: CommandLine, context: CmdlineContext) -> Hits:
    order = line.last("lsm")
    if order is None:
        return
    if not context.kernel_at_least(LSM_SINCE):
        yield Hit(
            order.location(), f"lsm= exists from Linux {LSM_SINCE} on; this is {context.kernel}, which has security="
        )
        return
    for parameter in line.all("security"):
        yield Hit(parameter.location(), "security= is not read when lsm= is there", (order.location("decides"),))
