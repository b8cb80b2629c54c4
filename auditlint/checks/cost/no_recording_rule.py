"""AL503: every system call pays for auditing, and no rule records any."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span, at_start
from auditlint.cost.prices import prices


def check(context: RulesContext) -> Hits:
    run = context.program.run
    option = next(context.options("-e"), None)
    if option is None and not context.program.is_directory:
        return  # a part of something else, perhaps
    storage = context.storage
    enabled = run.enabled if run.enabled is not None else context.facts.kernel_enabled
    if run.refused is not None or not run.read_to_end or enabled == 0 or not context.program.sources:
        return
    if storage.counted and any(
        stored.rule.action == "always" for stored in (*storage.exit, *storage.hashed, *storage.uring, *storage.task)
    ):
        return
    if any(stored.rule.action == "never" and not stored.rule.get("pid") for stored in storage.task):
        return
    measured = prices(context.target)
    counts = context.advisor.counts
    values, base = measured.values, measured.bases["getppid"]
    amount = values["on"] + (values["rules"] if storage.counted else 0)
    at = at_start(context.program.sources[-1]) if option is None else at_span(option[1], option[0].span)
    rules = "only never rules are loaded" if storage.counted else "no rule looks at system calls"
    yield Hit(
        at,
        f"every system call pays {amount:.0f} instructions ({100 * amount / base.off:.0f} % of the cheapest), although "
        f"{rules}; `-a never,task` saves this for new tasks",
        weight=amount * (len(measured.bases) if counts is None else sum(counts.values())),
    )
