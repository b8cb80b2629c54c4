"""AL504: `never,task` beside rules that then never fire, and that running tasks still pay for."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, others
from auditlint.checks.api import Hit, Hits, RulesContext, at_line

_NAMED = ("getppid", "open")


def check(context: RulesContext) -> Hits:
    storage = context.storage
    first = storage.task[0] if storage.task else None
    if first is None or first.entry is None or first.rule.action != "never":
        return
    if any(field.name != "key" for field in first.rule.fields):
        return
    dead = [stored for stored in (*storage.exit, *storage.hashed, *storage.uring) if stored.entry is not None]
    # Where nothing is to be recorded nothing is lost.
    if all(stored.rule.action == "never" for stored in dead):
        return
    from auditlint.cost.advice import share
    from auditlint.cost.operations import DEFAULT_ACTOR, actors
    from auditlint.cost.price import Pricing

    actor = actors()[DEFAULT_ACTOR]
    pricing = Pricing(storage, actor, context.program.run.enabled, running=True)
    operations = pricing.cost(_NAMED).operations
    paid = ", ".join(
        share(operation.name, operation.overhead - pricing.values["on"] * operation.calls, pricing.prices.bases)
        for operation in operations
    )
    yield Hit(
        at_line(first.entry),
        f"{count(len(dead), 'rule')} never {'fires' if len(dead) == 1 else 'fire'} for tasks started after the load; "
        f"older tasks still pay: {paid}",
        others([stored.entry for stored in dead if stored.entry is not None], "never fires for new tasks"),
        weight=sum(operation.overhead for operation in operations),
    )
