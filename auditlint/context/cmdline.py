"""What the checks of command lines look at."""

from __future__ import annotations

from functools import cached_property

from auditlint.context.base import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from auditlint.bootargs.command_line import CommandLine
    from auditlint.core.run_options import RunOptions
    from auditlint.core.settings import Settings
    from auditlint.core.source import Location, Source


class CmdlineContext(Context):
    """The command lines of one file (or the one built into a configuration), judged for a kernel.

    `rules`: rule files are judged in the same run, so audit is meant to work. `remark` is a place that says when a
    built-in command line counts. `without_audit`: the kernel is known to have no CONFIG_AUDIT.
    """

    kind: Literal["cmdline"] = "cmdline"

    def __init__(
        self,
        lines: Sequence[CommandLine],
        kernel: str,
        machine: str,
        settings: Settings,
        rules: bool = False,
        remark: Location | None = None,
        without_audit: bool = False,
    ) -> None:
        super().__init__()
        self.lines = tuple(lines)
        self.kernel = kernel
        self.machine = machine
        self.settings = settings
        self.rules = rules
        self.remark = remark
        self.without_audit = without_audit

    @property
    def policy(self) -> str | None:
        return self.settings.policy

    def kernel_at_least(self, line: str) -> bool:
        from auditlint.core.target import NO_KERNEL, version

        return self.kernel == NO_KERNEL or version(self.kernel) >= version(line)

    @cached_property
    def triggers(self) -> frozenset[str]:
        """`param:NAME` for each name (with `_` for `-`) that a command line holds, `policy:NAME`, `rules`."""
        found = {"*"}
        for line in self.lines:
            found.update("param:" + parameter.key for parameter in line.parameters)
        if self.policy:
            found.add("policy:" + self.policy)
        if self.rules:
            found.add("rules")
        return frozenset(found)


def cmdline_context(sources: Sequence[Source], common: RunOptions, rules: bool = False) -> CmdlineContext:
    """The command lines of a file, for the target of the run. Raises UserError for a file that is too large."""
    from auditlint.bootargs.command_line import read_cmdline
    from auditlint.core.compression import UnreadableInput
    from auditlint.core.errors import UserError

    lines: list[CommandLine] = []
    for source in sources:
        try:
            lines += read_cmdline(source)
        except UnreadableInput as error:
            raise UserError(f"{source.path}: {error}") from None
    return CmdlineContext(lines, common.target.kernel, common.target.machine, common.settings, rules)
