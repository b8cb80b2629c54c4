"""AL503: every system call pays for auditing, and no rule records any."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_span, at_start
from auditlint.cost.advice import share
from auditlint.cost.prices import prices


def check(context: RulesContext) -> Hits:
    run = context.program.run
    option = next(context.options("-e"), None)
    if option is None and not context.program.is_directory:
        return  # perhaps a part of a rule set
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
    table = prices(context.target)
    counts = context.advisor.counts
    values, base = table.values, table.bases["getppid"]
    amount = values["on"] + (values["rules"] if storage.counted else 0)
    at = at_start(context.program.sources[-1]) if option is None else at_span(option[1], option[0].span)
    rules = "only never rules are loaded" if storage.counted else "no rule covers system calls"
    yield Hit(
        at,
        f"the cheapest system call pays {share(amount, base.off)} more ({amount:.0f} instructions) for nothing: "
        f"{rules}; add `-a never,task`",
        weight=amount * (len(table.bases) if counts is None else sum(counts.values())),
        saved={"getppid": amount},
    )
