"""What a pricing says: operations with their parts, and what each line of the rule set has to do with them."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.core.target import Target
    from auditlint.cost.operations import Actor
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Stored


@dataclass(frozen=True, slots=True)
class Part:
    """One reason why an operation is dearer: `amount` instructions, `rules` the number of rules that take part
    (None where the reason is not a rule)."""

    what: str
    amount: float
    rules: int | None = None


@dataclass(frozen=True, slots=True)
class OperationCost:
    """What an operation costs, in instructions.

    `base` is the operation with audit=0, None when it was not measured. `overhead` is what audit adds in all;
    `parts` add up to it exactly. `low` and `high` bound it; `high` is None when a part of it was not measured:
    `not_known` says which, and `overhead` then holds the least it can be. `logged` tells whether any of its
    calls is recorded, None when that is not known. `no_rules` is the whole operation with auditing on and no rule.
    """

    name: str
    calls: int
    base: float | None
    overhead: float
    low: float
    high: float | None
    parts: tuple[Part, ...]
    logged: Tristate
    not_known: tuple[str, ...] = ()
    no_rules: float | None = None

    @property
    def total(self) -> float | None:
        """The whole operation."""
        return None if self.base is None else round(self.base + self.overhead, 1)

    @property
    def percent(self) -> float | None:
        """The overhead as a share of the operation without audit."""
        return None if not self.base else round(100 * self.overhead / self.base, 1)


@dataclass(frozen=True, slots=True)
class RuleCost:
    """What one loaded rule adds to the operations, in instructions, and to which it does."""

    stored: Stored
    amount: Mapping[str, float]

    @property
    def total(self) -> float:
        """Sum over the operations: a measure to rank rules by, not the cost of anything."""
        return sum(self.amount.values())


@dataclass(frozen=True, slots=True)
class Cost:
    """The price of a rule set for one target and actor; `remarks` are what a reader has to know."""

    target: Target
    actor: Actor
    operations: tuple[OperationCost, ...]
    rules: tuple[RuleCost, ...]
    remarks: tuple[str, ...]
