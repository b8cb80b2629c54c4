"""AL903: watches written with -w."""

from __future__ import annotations

from auditlint.analysis.permission_masks import arch_takes_perm
from auditlint.checks.api import Hit, Hits, RulesContext, at_span


def check(context: RulesContext) -> Hits:
    """Says it once, at the first watch: a file has them all in one style."""
    entries = [
        entry
        for entry in context.by_option.get("-w", ())
        if entry.verdict == "rule" and any(warning.kind == "watch-deprecated" for warning in entry.line.warnings)
    ]
    if not entries:
        return
    option = next(option for option in entries[0].line.options if option.name == "-w")
    more = f" (and {len(entries) - 1} more)" if len(entries) > 1 else ""
    how = "-F arch, path or dir, and perm"
    if not arch_takes_perm(context):
        how = (
            f"-F path or dir, and perm (without arch: beside it this auditctl refuses perm on {context.target.machine})"
        )
    message = f"-w is deprecated{more}: auditctl asks for -a with {how}"
    yield Hit(at_span(entries[0], option.span), message)
