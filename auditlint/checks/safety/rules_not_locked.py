"""AL605: no -e 2, so that the rules can be changed."""

from __future__ import annotations

from auditlint.analysis.completeness import is_complete
from auditlint.analysis.control_values import setting
from auditlint.checks.api import Hit, Hits, RulesContext, at_span, at_start


def check(context: RulesContext) -> Hits:
    if not is_complete(context):
        return
    found = setting(context, "-e", "enabled")
    if found is not None and found[2] != 1:
        return
    at = at_start(context.program.sources[-1]) if found is None else at_span(found[1], found[0].span)
    yield Hit(
        at, "root can delete the rules: they are not locked; -e 2 as the last line locks them until the next boot"
    )
