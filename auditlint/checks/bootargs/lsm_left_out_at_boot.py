"""AL857: the command line leaves the system without the security module whose records the audit log should carry."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LSM_SINCE, MAJOR_LSMS
from auditlint.checks.api import CmdlineContext, Hit, Hits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine, Parameter


def check(context: CmdlineContext) -> Hits:
    for line in context.lines:
        found = _cause(line, context)
        if found is not None:
            parameter, what = found
            yield Hit(
                parameter.location(),
                f"{what}: no AVC or APPARMOR records are written, and rules on subj_* and obj_* fields match nothing",
            )


def _cause(line: CommandLine, context: CmdlineContext) -> tuple[Parameter, str] | None:
    order = line.last("lsm") if context.kernel_at_least(LSM_SINCE) else None
    if order is not None and order.value is not None:
        names = order.value.split(",")
        if not any(name in MAJOR_LSMS for name in names):
            return order, f"lsm={order.value} names none of {', '.join(MAJOR_LSMS)}, so none of them is started"
        return None
    major = line.last("security")
    if major is not None and major.value is not None and major.value not in MAJOR_LSMS:
        return major, f"security={major.value} is none of {', '.join(MAJOR_LSMS)}, so none of them is started"
    return None
