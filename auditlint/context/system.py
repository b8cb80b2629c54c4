"""Configuration, command line, rules and image judged together: what one of them says against another."""

from __future__ import annotations

from functools import cached_property

from auditlint.context.base import Context
from auditlint.core.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.bootargs.boot_entries import BootArguments
    from auditlint.context.cmdline import CmdlineContext
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext
    from auditlint.core.facts import Facts
    from auditlint.core.settings import Settings
    from auditlint.core.source import Source
    from auditlint.core.target import Target
    from auditlint.core.user_space import UserSpace
    from auditlint.kernel.storage import Stored

COMPAT_SYMBOLS = {"x86": "IA32_EMULATION", "x86_64": "IA32_EMULATION"}
"""The symbol that lets a 64-bit kernel run 32-bit programs; COMPAT on all architectures but x86 (arch/*/Kconfig)."""


class SystemContext(Context):
    """The parts of one system. `rules` are sets of rules that end up in the same kernel: several where the rules of the
    image and those that will be installed there are known. `facts` are those of the image; `boot` says what its boot
    loader boots, `user_space` which programs and services it has; both are None without an image."""

    kind: Literal["together"] = "together"

    def __init__(
        self,
        config: ConfigContext | None,
        cmdlines: Sequence[CmdlineContext],
        rules: Sequence[RulesContext],
        target: Target,
        facts: Facts,
        settings: Settings,
        boot: BootArguments | None = None,
        user_space: UserSpace | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.cmdlines = tuple(cmdlines)
        self.rules = tuple(rules)
        self.target = target
        self.facts = facts
        self.settings = settings
        self.boot = boot
        self.user_space = user_space

    @cached_property
    def triggers(self) -> frozenset[str]:
        """`config`, `cmdline`, `rules` (at least one rule), `several` (sets of rules), `no-rules`, `boot` (entries of a
        boot loader), `user-space`."""
        found = {"*"}
        if self.config is not None:
            found.add("config")
        if any(cmdline.lines for cmdline in self.cmdlines):
            found.add("cmdline")
        found.add("rules" if self.rule_count else "no-rules")
        if len(self.rules) > 1:
            found.add("several")
        if self.boot is not None and self.boot.entries:
            found.add("boot")
        if self.user_space is not None:
            found.add("user-space")
        return frozenset(found)

    @cached_property
    def rule_count(self) -> int:
        """How many rules the lines add that would be taken by a kernel that can."""
        return sum(len(context.rules) for context in self.rules)

    @cached_property
    def combined(self) -> RulesContext:
        """All sets as the one rules.d directory that they end up in: a later set replaces files of the same name."""
        from auditlint.auditctl.augenrules import plan
        from auditlint.context.rules import RulesContext
        from auditlint.load.program import load_directory

        if len(self.rules) == 1:
            return self.rules[0]
        named = {source.path.rpartition("/")[2]: source for each in self.rules for source in each.program.sources}
        order = plan(dict.fromkeys(named, "regular"), self.target.auditctl).order
        sources = [named[name] for name in dict.fromkeys(order)]
        return RulesContext(load_directory(sources, self.target, self.facts), self.settings)

    def set_of(self, source: Source) -> int:
        """The number of the set that a file belongs to."""
        return next(
            (number for number, each in enumerate(self.rules) if source in each.program.sources), len(self.rules)
        )

    def rules_on(self, *lists: str) -> Iterator[tuple[RulesContext, list[tuple[Rule, Entry]]]]:
        """For each set that has some: its rules on these lists, in file order."""
        for context in self.rules:
            found = [pair for pair in context.rules if pair[0].list in lists]
            if found:
                yield context, found

    def symbol(self, name: str) -> bool | None:
        """Is a symbol of the configuration on? None when that cannot be told."""
        return None if self.config is None else symbol(self.config, name)

    def programs(self, role: str) -> bool | None:
        """Has the image a program of that role? None when nobody knows what is in the image."""
        paths = [path for path, what in rows("audit-programs.tsv") if what == role]
        if all(path in self.facts.paths_missing for path in paths):
            return False
        return True if self.facts.paths_complete else None


def symbol(config: ConfigContext, name: str) -> bool | None:
    """Is a symbol of a configuration on? None when that cannot be told."""
    known = config.evaluation.symbols.get(name)
    value = known.value if known is not None else config.explicit(name)
    if value is None:
        return False if config.resolved and not config.fragment else None
    if config.fragment and config.explicit(name) is None:
        return None  # what a fragment leaves open is decided elsewhere
    return value in ("y", "m")


def runs_32bit(config: ConfigContext) -> bool | None:
    """Does a 64-bit kernel run 32-bit programs? None when that cannot be told."""
    name = COMPAT_SYMBOLS.get(config.arch, "COMPAT")
    found = symbol(config, name)
    if found is None and symbol(config, "COMPAT") is False:
        return False  # it selects COMPAT
    return found


def unconditional_never(context: RulesContext) -> Stored | None:
    """The task rule that leaves every new task without a context: a `never` for all, with no rule in front that says
    otherwise for all."""
    for stored in context.storage.task:
        if context.algebra.unconditional(stored):
            return stored if stored.rule.action == "never" else None
    return None
