"""AL504: `never,task` next to rules that then never match, and that running tasks still pay for."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, others
from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.cost.advice import share, spoken

_NAMED = ("getppid", "open")


def check(context: RulesContext) -> Hits:
    storage = context.storage
    first = storage.task[0] if storage.task else None
    if first is None or first.entry is None or first.rule.action != "never":
        return
    if any(field.name != "key" for field in first.rule.fields):
        return
    dead = [stored for stored in (*storage.exit, *storage.hashed, *storage.uring) if stored.entry is not None]
    # Where no rule records, nothing is lost.
    if all(stored.rule.action == "never" for stored in dead):
        return
    from auditlint.cost.operations import DEFAULT_ACTOR, actors
    from auditlint.cost.price import Pricing

    actor = actors()[DEFAULT_ACTOR]
    pricing = Pricing(storage, actor, context.program.run.enabled, running=True)
    operations = pricing.cost(_NAMED).operations
    paid = {operation.name: operation.overhead - pricing.values["on"] * operation.calls for operation in operations}
    bases = pricing.prices.bases
    words = " and ".join(
        f"{share(amount, bases[name].off)} of {spoken(name)} ({amount:,.0f} instructions)"
        for name, amount in paid.items()
    )
    yield Hit(
        at_line(first.entry),
        f"{count(len(dead), 'rule')} never match{'es' if len(dead) == 1 else ''} tasks started after the load, while "
        f"running tasks pay for them: {words}",
        others([stored.entry for stored in dead if stored.entry is not None], "never matches new tasks"),
        weight=sum(operation.overhead for operation in operations),
        saved=paid,
    )
