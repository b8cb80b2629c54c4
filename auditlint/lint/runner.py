"""Runs the checks over a subject: hits become findings, selected and sorted."""

from __future__ import annotations

from importlib import import_module

from auditlint.core.errors import UserError
from auditlint.core.findings import Finding
from auditlint.core.frozen import dataclass
from auditlint.core.source import IN_KERNEL
from auditlint.lint.registry import all_checks, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from auditlint.context.cmdline import CmdlineContext
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext
    from auditlint.context.suppressions import SuppressionsContext
    from auditlint.context.system import SystemContext
    from auditlint.core.findings import Severity
    from auditlint.lint.registry import Check

    CheckedContext: TypeAlias = "RulesContext | ConfigContext | CmdlineContext | SystemContext | SuppressionsContext"
    """What checks look at; its `kind` says which checks take it (`Check.context`)."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which checks run. Later words of the command line win over the settings; `ignore` wins over `select`. A pedantic
    check runs when `pedantic` says so or its whole code or name is selected, not for a beginning such as `AL5`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    pedantic: bool = False

    def takes(self, check: Check) -> bool:
        if matches(check, self.ignore):
            return False
        if check.pedantic and not self.pedantic:
            return check.code in self.select or check.name in self.select
        return not self.select or matches(check, self.select)


DEFAULT = Selection()
"""All checks but the pedantic ones."""


def validate(selectors: Iterable[str]) -> None:
    """Raises UserError for a selector that names no check, with the nearest names."""
    checks = all_checks()
    for selector in selectors:
        if not any(matches(check, (selector,)) for check in checks):
            raise unknown_check(selector)


def unknown_check(word: str) -> UserError:
    """The error for a word that is neither code nor name of a check."""
    from difflib import get_close_matches

    known = [check.name for check in all_checks()] + [check.code for check in all_checks()]
    near = get_close_matches(word, known, 1) or get_close_matches(word.upper(), known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; `auditlint list` shows all checks"
    return UserError(f"unknown check {word!r}{hint}")


def run_checks(
    context: CheckedContext,
    selection: Selection = DEFAULT,
    severities: Mapping[str, Severity] | None = None,
) -> list[Finding]:
    """All findings of the checks for this kind of context, sorted by place.

    `severities` overrides the severity of checks by code or name.
    """
    overrides = severities or {}
    # A built-in command line has a place that says when it counts: it goes with every finding.
    remark = context.remark if context.kind == "cmdline" else None
    triggers = triggers_of(context)
    found: list[Finding] = []
    for check in all_checks():
        if check.context != context.kind or ("*" not in check.requires and triggers.isdisjoint(check.requires)):
            continue
        if not selection.takes(check):
            continue
        override = overrides.get(check.code) or overrides.get(check.name)
        for hit in import_module(check.module).check(context):
            if hit.at.source.path == IN_KERNEL:
                continue
            found.append(
                Finding(
                    check.code,
                    check.name,
                    override or hit.severity or check.severity,
                    hit.message,
                    hit.at,
                    hit.related if remark is None else (*hit.related, remark),
                    hit.evidence or check.evidence,
                    hit.fix,
                )
            )
    return sort_findings(found)


def triggers_of(context: CheckedContext) -> frozenset[str]:
    """The triggers of a context: which checks are worth importing for it. Those of rules are an analysis."""
    if context.kind != "rules":
        return context.triggers
    from auditlint.analysis.triggers import rule_triggers

    return context.get(rule_triggers)


def sort_findings(findings: Sequence[Finding], paths: Iterable[str] = ()) -> list[Finding]:
    """By file, in the order of `paths` or else as first seen, then place, then code."""
    order: dict[str, int] = {}
    for path in paths:
        order.setdefault(path, len(order))
    for finding in findings:
        order.setdefault(finding.at.source.path, len(order))
    return sorted(findings, key=lambda f: (order[f.at.source.path], f.at.span, f.code))
