"""AL878: the command line starts none of the security modules that the kernel has, or only one that it lacks."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import LSM_SINCE, MAJOR_LSMS
from auditlint.checks.api import CmdlineContext, Hit, Hits, SystemContext, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine, Parameter


def check(context: SystemContext) -> Hits:
    config = context.config
    if config is None:
        return
    has = {name: context.symbol("SECURITY_" + name.upper()) for name in MAJOR_LSMS}
    built_in = [name for name, there in has.items() if there]
    for cmdline in context.cmdlines:
        for line in cmdline.lines:
            choice = _named(line, cmdline)
            if choice is None:
                continue
            parameter, names = choice
            lacking = [name for name in names if has.get(name) is False]
            if any(has.get(name, False) is not False for name in names) or not (lacking or built_in):
                continue
            word = f"{parameter.name}={parameter.value}"
            parts = []
            if lacking:
                parts.append(f"{word} names {listed(lacking)}, which {config.where} does not have")
            if built_in:
                if not lacking:
                    parts.append(f"{word} does not start {listed(built_in)}, which the kernel has")
                parts.append("SELinux and AppArmor denials leave no trace, and subj_* and obj_* fields match nothing")
            related = tuple(config.at("SECURITY_" + name.upper(), f"{name} is built in") for name in built_in)
            yield Hit(parameter.location(), ": ".join(reversed(parts)), related)


def _named(line: CommandLine, context: CmdlineContext) -> tuple[Parameter, list[str]] | None:
    """The parameter that chooses the modules, and the modules that it names."""
    order = line.last("lsm") if context.kernel_at_least(LSM_SINCE) else None
    chosen = order or line.last("security")
    if chosen is None or chosen.value is None:
        return None
    return chosen, chosen.value.split(",") if order else [chosen.value]
