"""The command line that is built into a kernel: whether it counts, and with what the boot loader gives."""

from __future__ import annotations

from auditlint.bootargs.command_line import CommandLine, kconfig_string, split
from auditlint.context.cmdline import CmdlineContext
from auditlint.core.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.config import ConfigContext

_NEEDS_BOOL = frozenset({"x86", "x86_64", "i386", "mips", "microblaze", "nios2", "sparc", "sparc64", "xtensa", "um"})
"""Architectures where CMDLINE depends on CMDLINE_BOOL (arch/*/Kconfig, 5.10 to 7.3)."""
_FORCE = ("CMDLINE_OVERRIDE", "CMDLINE_FORCE", "CMDLINE_OVERWRITE")
_JOINED = frozenset({"x86", "x86_64", "i386", "mips"})
"""Architectures that put the built-in words in front of the boot loader's unless told to override them."""


def builtin_cmdline(config: ConfigContext) -> CmdlineContext | None:
    """The command line that is built into the kernel of a configuration, None where there is none."""
    if not any(file.assignments.last("CMDLINE") for file in config.files):
        return None
    line = _built_in(config)
    if line is None:
        return None
    machine = "x86_64" if config.arch.startswith(("x86", "i386")) else config.arch
    without_audit = not config.fragment and not config.on("AUDIT")
    return CmdlineContext((line[0],), config.kernel, machine, config.settings, False, line[1], without_audit)


def _built_in(context: ConfigContext) -> tuple[CommandLine, Location] | None:
    """The built-in command line with a place that tells when it counts; None when there is none.

    It is complete only where it replaces what the boot loader gives.
    """
    line = context.request("CMDLINE")
    if line is None or (context.arch in _NEEDS_BOOL and not context.on("CMDLINE_BOOL") and not context.fragment):
        return None
    piece = kconfig_string(line.source, line.value_span)
    parameters = split((piece,))
    if not parameters:
        return None
    force = next((symbol for symbol in _FORCE if context.on(symbol)), None)
    if force is not None:
        when = f"{force}=y: it replaces what the boot loader gives"
    elif context.arch in _JOINED or context.on("CMDLINE_EXTEND"):
        when = "it is joined with what the boot loader gives"
    else:
        when = "it is used only when the boot loader gives no command line"
    place = Location(line.source, line.span, f"built into the kernel; {when}")
    return CommandLine(line.source, "CONFIG_CMDLINE", parameters, line.value_span, force is not None), place
