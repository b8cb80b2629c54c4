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
    from auditlint.cost.operations import DEFAULT_ACTOR, actors
    from auditlint.cost.price import Pricing

    actor = actors()[DEFAULT_ACTOR]
    pricing = Pricing(storage, actor, context.program.run.enabled, running=True)
    found = pricing.cost(_NAMED).operations
    paid = ", ".join(f"{each.overhead - pricing.values['on'] * each.calls:,.0f} at {each.name}" for each in found)
    yield Hit(
        at_line(first.entry),
        f"no task started after the load has an audit context, so {count(len(dead), 'rule')} never "
        f"{'fires' if len(dead) == 1 else 'fire'} for it; tasks already running pay for all of them instead "
        f"({paid} instructions more than without rules)",
        others([stored.entry for stored in dead if stored.entry is not None], "never fires for new tasks"),
        weight=sum(each.overhead for each in found),
    )
