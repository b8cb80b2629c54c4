"""The book of one operation: parts by reason, rules by what they cost, bounds, and what is not known."""

from __future__ import annotations

from auditlint.cost.model import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable


class CostBreakdown:
    """Adds up while an operation is priced. Amounts are instructions."""

    __slots__ = ("_parts", "_rules", "above", "below", "not_known", "rules")

    def __init__(self) -> None:
        self._parts: dict[str, float] = {}
        self._rules: dict[str, dict[Hashable, int]] = {}
        self.rules: dict[int, float] = {}
        self.below = 0.0
        """How much less it may be."""
        self.above = 0.0
        """How much more it may be."""
        self.not_known: dict[str, None] = {}

    def add(self, what: str, amount: float, kind: Hashable = None, rules: int = 0) -> None:
        """Enter an amount. `rules` rules of a kind take part; the same kind entered twice counts once."""
        self._parts[what] = self._parts.get(what, 0.0) + amount
        if rules:
            kinds = self._rules.setdefault(what, {})
            kinds[kind] = max(kinds.get(kind, 0), rules)

    def charge(self, index: int, amount: float) -> None:
        """Enter what a rule costs; its amount must have been added as a part, too."""
        self.rules[index] = self.rules.get(index, 0.0) + amount

    def range(self, below: float, above: float) -> None:
        """Widen the bounds."""
        self.below += below
        self.above += above

    def bounds(self) -> tuple[float, float]:
        """Least and most, as far as it is known."""
        total = self.total()
        return total - self.below, total + self.above

    def total(self) -> float:
        return sum(self._parts.values())

    def parts(self) -> tuple[Part, ...]:
        """The parts in the order entered, rounded to tenths, the empty ones left out."""
        found = []
        for what, amount in self._parts.items():
            kinds = self._rules.get(what)
            rounded = round(amount, 1)
            if rounded or kinds:
                found.append(Part(what, rounded, sum(kinds.values()) if kinds else None))
        return tuple(found)
