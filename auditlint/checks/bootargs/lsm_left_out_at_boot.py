"""AL857: the command line starts no security module that writes audit records."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LSM_SINCE, MAJOR_LSMS
from auditlint.checks.api import CmdlineContext, Hit, Hits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine, Parameter


def check(context: CmdlineContext) -> Hits:
    for line in context.lines:
        cause = _cause(line, context)
        if cause is not None:
            parameter, reason = cause
            yield Hit(
                parameter.location(),
                f"SELinux and AppArmor denials leave no trace, and subj_* and obj_* fields match nothing: {reason}",
            )


def _cause(line: CommandLine, context: CmdlineContext) -> tuple[Parameter, str] | None:
    order = line.last("lsm") if context.kernel_at_least(LSM_SINCE) else None
    if order is not None and order.value is not None:
        names = order.value.split(",")
        if not any(name in MAJOR_LSMS for name in names):
            return order, f"lsm={order.value} starts none of {', '.join(MAJOR_LSMS)}"
        return None
    major = line.last("security")
    if major is not None and major.value is not None and major.value not in MAJOR_LSMS:
        return major, f"security={major.value} starts none of {', '.join(MAJOR_LSMS)}"
    return None
