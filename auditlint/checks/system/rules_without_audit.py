"""AL871: rules for a kernel without CONFIG_AUDIT."""

from __future__ import annotations

from auditlint.analysis.load_summary import load_summary
from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.system import SystemContext


def check(context: SystemContext) -> Iterator[Hit]:
    config = context.config
    if config is None or config.on("AUDIT"):
        return
    if not context.rule_count:
        return
    count = sum(each.get(load_summary).rules for each in context.rules)
    related = tuple(at_line(each.rules[0][1], "the first of them") for each in context.rules if each.rules)
    what = "the rule cannot" if count == 1 else f"none of the {count} rules can"
    yield Hit(
        config.at("AUDIT"),
        f"this kernel ({config.where}) has no CONFIG_AUDIT: {what} be loaded ({config.why('AUDIT')})",
        related,
    )
