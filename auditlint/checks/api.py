"""What nearly all checks need, in one place: `from auditlint.checks.api import Hits, RulesContext, at_line`.

A check is a function `check(context) -> Hits` in a module of its own. Each name here is loaded from its home when a
check first imports it: a run over a command line loads nothing of rules, and a rule set without a refused line loads
nothing that explains refusals.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from auditlint.analysis.line_edits import delete_line, offset, part, rewritten
    from auditlint.analysis.line_text import line_bytes
    from auditlint.analysis.load_summary import at_problem, consequence, refusal
    from auditlint.analysis.refusal_causes import caused
    from auditlint.analysis.rule_fields import at_number, fields_named, written
    from auditlint.analysis.rule_pairs import entry_of, own, related
    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import ALL_SYSCALLS, Field, Option, Rule
    from auditlint.context.cmdline import CmdlineContext
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext, at_field, at_line, at_span, at_start
    from auditlint.context.suppressions import SuppressionsContext
    from auditlint.context.system import SystemContext
    from auditlint.core.findings import Edit, Fix, FixLevel, Hit, Severity, listed
    from auditlint.core.frozen import replace
    from auditlint.core.source import Location, Source, Span

Hits: TypeAlias = "Iterator[Hit]"
"""What a check function yields."""

_HOMES = {
    "analysis.line_edits": ("delete_line", "offset", "part", "rewritten"),
    "analysis.line_text": ("line_bytes",),
    "analysis.load_summary": ("at_problem", "consequence", "refusal"),
    "analysis.refusal_causes": ("caused",),
    "analysis.rule_fields": ("at_number", "fields_named", "written"),
    "analysis.rule_pairs": ("entry_of", "own", "related"),
    "auditctl.entries": ("Entry",),
    "auditctl.model": ("ALL_SYSCALLS", "Field", "Option", "Rule"),
    "context.cmdline": ("CmdlineContext",),
    "context.config": ("ConfigContext",),
    "context.rules": ("RulesContext", "at_field", "at_line", "at_span", "at_start"),
    "context.suppressions": ("SuppressionsContext",),
    "context.system": ("SystemContext",),
    "core.findings": ("Edit", "Fix", "FixLevel", "Hit", "Severity", "listed"),
    "core.frozen": ("replace",),
    "core.source": ("Location", "Source", "Span"),
}
"""The modules of the package that define the names."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALL_SYSCALLS",
    "CmdlineContext",
    "ConfigContext",
    "Edit",
    "Entry",
    "Field",
    "Fix",
    "FixLevel",
    "Hit",
    "Hits",
    "Location",
    "Option",
    "Rule",
    "RulesContext",
    "Severity",
    "Source",
    "Span",
    "SuppressionsContext",
    "SystemContext",
    "at_field",
    "at_line",
    "at_number",
    "at_problem",
    "at_span",
    "at_start",
    "caused",
    "consequence",
    "delete_line",
    "entry_of",
    "fields_named",
    "line_bytes",
    "listed",
    "offset",
    "own",
    "part",
    "refusal",
    "related",
    "replace",
    "rewritten",
    "written",
]

if not TYPE_CHECKING:  # a type checker shall know the names, and no others

    def __getattr__(name: str) -> object:
        """The object of that name from its home, which is imported now; AttributeError for a name not in `__all__`."""
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f"auditlint.{home}"), name)
        return value
