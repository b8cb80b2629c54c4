"""The advice of the cost checks for one rule set, the greatest saving first."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module

from auditlint.context.rules import RulesContext
from auditlint.cost.advice import Advisor
from auditlint.cost.operations import DEFAULT_ACTOR
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import triggers_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.core.findings import Hit
    from auditlint.core.settings import Settings
    from auditlint.cost.advice import WorkCalls
    from auditlint.cost.operations import Actor
    from auditlint.lint.registry import Check
    from auditlint.load.program import Program


class PricedRules(RulesContext):
    """Rules whose advice is priced for an actor, and for a workload where there is one."""

    def __init__(self, program: Program, settings: Settings, actor: Actor) -> None:
        super().__init__(program, settings)
        self._actor = actor
        self.workload: Sequence[WorkCalls] = ()

    @cached_property
    def advisor(self) -> Advisor:
        """Prices for the actor, of the calls of the workload or of the measured operations."""
        return Advisor(self.storage, self._actor.name, self.program.run.enabled, self.workload)

    @cached_property
    def user_advisor(self) -> Advisor:
        """Prices for a user; those of `advisor` when it already prices a workload or a chosen actor."""
        if self.workload or self._actor.name != DEFAULT_ACTOR:
            return self.advisor
        return Advisor(self.storage, "user", self.program.run.enabled)


def ranked_advice(context: RulesContext) -> list[tuple[Check, Hit]]:
    """The hits of the checks of cost, except the pedantic ones, by the instructions that following them saves."""
    triggers = triggers_of(context)
    advice: list[tuple[Check, Hit]] = []
    for check in all_checks():
        if check.is_cost_advice and not check.pedantic and not triggers.isdisjoint(check.requires):
            advice += [(check, hit) for hit in import_module(check.module).check(context)]
    return sorted(advice, key=lambda pair: -pair[1].weight)
