"""Decision diagrams: functions of several finite variables, where equal functions are equal numbers.

A node asks one variable and has a child for each of its values; a leaf is an outcome. Nodes are made once
(hash-consing), and no node has equal children throughout, so that two functions over the same variables are equal
exactly when their nodes are the same number. Variables are asked in the order of their numbers.
"""

from __future__ import annotations

from heapq import heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    Node: TypeAlias = int
    """A leaf with value v is -1 - v, an inner node its number from 0 up."""
    Cost: TypeAlias = Callable[[int, int], int]
    """What the value of a variable costs: the smaller, the more ordinary."""
    Path: TypeAlias = dict[int, int]
    """Values of variables; a variable that is not named may have any."""

FALSE, TRUE = -1, -2
DEEPEST = 700
"""Variables that one function may ask: the walk over a diagram is a recursion."""


class TooLarge(Exception):
    """A budget ended; the text names what grew."""


def leaf(value: int) -> Node:
    """The node of an outcome, a number from 0 up. 0 is false and 1 true in conditions."""
    return -1 - value


class Diagrams:
    """A store of nodes over `sizes[variable]` values each."""

    def __init__(self, limit: int = 2_000_000) -> None:
        self.sizes: list[int] = []
        self.limit = limit
        self.variables: list[int] = []
        self.children: list[tuple[Node, ...]] = []
        self._nodes: dict[tuple[int, tuple[Node, ...]], Node] = {}
        self._chosen: dict[tuple[Node, Node, Node], Node] = {}

    def __len__(self) -> int:
        return len(self.children)

    def variable(self, size: int) -> int:
        """A new variable, asked after all others. Raises TooLarge."""
        if len(self.sizes) >= DEEPEST:
            raise TooLarge(f"more than {DEEPEST} different conditions on one system call")
        self.sizes.append(size)
        return len(self.sizes) - 1

    def node(self, variable: int, children: tuple[Node, ...]) -> Node:
        """The function that asks a variable first. Raises TooLarge."""
        first = children[0]
        if children.count(first) == len(children):
            return first
        key = (variable, children)
        number = self._nodes.get(key)
        if number is None:
            number = len(self.children)
            if number >= self.limit:
                raise TooLarge(f"more than {self.limit:,} nodes")
            self._nodes[key] = number
            self.variables.append(variable)
            self.children.append(children)
        return number

    def test(self, variable: int, values: Sequence[bool]) -> Node:
        """True for some values of one variable."""
        return self.node(variable, tuple([TRUE if value else FALSE for value in values]))

    def choose(self, condition: Node, then: Node, other: Node) -> Node:
        """`then` where the condition is true, else `other`."""
        if condition == TRUE or then == other:
            return then
        if condition == FALSE:
            return other
        key = (condition, then, other)
        known = self._chosen.get(key)
        if known is not None:
            return known
        variables, children = self.variables, self.children
        top = variables[condition]
        if then >= 0 and variables[then] < top:
            top = variables[then]
        if other >= 0 and variables[other] < top:
            top = variables[other]
        size = self.sizes[top]
        asked = children[condition] if variables[condition] == top else (condition,) * size
        thens = children[then] if then >= 0 and variables[then] == top else (then,) * size
        others = children[other] if other >= 0 and variables[other] == top else (other,) * size
        choose = self.choose
        made = self.node(top, tuple([choose(c, t, o) for c, t, o in zip(asked, thens, others, strict=True)]))
        self._chosen[key] = made
        return made

    def both(self, left: Node, right: Node) -> Node:
        """Both conditions."""
        return self.choose(left, right, FALSE)

    def either(self, left: Node, right: Node) -> Node:
        """One of the conditions."""
        return self.choose(left, TRUE, right)

    def negated(self, condition: Node) -> Node:
        return self.choose(condition, FALSE, TRUE)

    def mapped(self, node: Node, outcome: Callable[[int], int]) -> Node:
        """The same function with other outcomes."""
        made: dict[Node, Node] = {}

        def walk(at: Node) -> Node:
            if at < 0:
                return leaf(outcome(-1 - at))
            known = made.get(at)
            if known is None:
                known = made[at] = self.node(self.variables[at], tuple(map(walk, self.children[at])))
            return known

        return walk(node)

    def outcomes(self, node: Node) -> set[int]:
        """The outcomes that a function can have."""
        seen: set[Node] = set()
        todo = [node]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                if at >= 0:
                    todo += self.children[at]
        return {-1 - at for at in seen if at < 0}


class Product:
    """Two functions side by side: the pairs of outcomes that count as different, and the cheapest values for each.

    `differ(left, right)` tells whether a pair of outcomes counts; equal nodes are never looked into, so equal outcomes
    must not count.
    """

    def __init__(
        self, diagrams: Diagrams, differ: Callable[[int, int], bool], cost: Cost, limit: int = 400_000
    ) -> None:
        self._diagrams = diagrams
        self._differ = differ
        self._cost = cost
        self._limit = limit
        self._best: dict[tuple[Node, Node], dict[tuple[int, int], int]] = {}
        self._work = 0

    def pairs(self, left: Node, right: Node) -> dict[tuple[int, int], int]:
        """The pairs of different outcomes with the cost of the cheapest values. Raises TooLarge."""
        if left == right:
            return {}
        if left < 0 and right < 0:
            pair = (-1 - left, -1 - right)
            return {pair: 0} if self._differ(*pair) else {}
        known = self._best.get((left, right))
        if known is not None:
            return known
        top, lefts, rights = self._step(left, right)
        found: dict[tuple[int, int], int] = {}
        for value, (one, two) in enumerate(zip(lefts, rights, strict=True)):
            below = self.pairs(one, two)
            if below:
                own = self._cost(top, value)
                self._work += len(below)
                for pair, price in below.items():
                    price += own
                    if price < found.get(pair, 1 << 60):
                        found[pair] = price
        if self._work > self._limit * 20 or len(self._best) > self._limit:
            raise TooLarge("too many different pairs of outcomes")
        self._best[left, right] = found
        return found

    def _step(self, left: Node, right: Node) -> tuple[int, tuple[Node, ...], tuple[Node, ...]]:
        variables, children = self._diagrams.variables, self._diagrams.children
        if left < 0:
            top = variables[right]
        elif right < 0:
            top = variables[left]
        else:
            top = min(variables[left], variables[right])
        size = self._diagrams.sizes[top]
        lefts = children[left] if left >= 0 and variables[left] == top else (left,) * size
        rights = children[right] if right >= 0 and variables[right] == top else (right,) * size
        return top, lefts, rights

    def paths(self, left: Node, right: Node, pair: tuple[int, int]) -> Iterator[tuple[int, Path]]:
        """The values that give a pair of outcomes, the cheapest first, each with its cost."""
        count = 0
        start = self.pairs(left, right).get(pair)
        if start is None:
            return
        heap: list[tuple[int, int, int, Node, Node, tuple[tuple[int, int], ...]]] = [(start, 0, 0, left, right, ())]
        while heap:
            total, _, spent, one, two, taken = heappop(heap)
            if one < 0 and two < 0:
                yield total, dict(taken)
                continue
            top, lefts, rights = self._step(one, two)
            for value, (below, beside) in enumerate(zip(lefts, rights, strict=True)):
                rest = self.pairs(below, beside).get(pair)
                if rest is not None:
                    count += 1
                    now = spent + self._cost(top, value)
                    heappush(heap, (now + rest, count, now, below, beside, (*taken, (top, value))))

    def projection(
        self, left: Node, right: Node, pair: tuple[int, int], wanted: Iterable[int]
    ) -> dict[int, frozenset[int]]:
        """For each of these variables the values with which the pair of outcomes can be reached; a variable of which
        every value will do is left out."""
        sizes = self._diagrams.sizes
        asked = sorted(wanted)
        values: dict[int, set[int]] = {variable: set() for variable in asked}
        seen: set[tuple[Node, Node]] = set()
        todo = [(left, right, -1)]
        crossed: set[tuple[int, int]] = set()
        while todo:
            one, two, above = todo.pop()
            at_end = one < 0 and two < 0
            top, lefts, rights = (1 << 60, (), ()) if at_end else self._step(one, two)
            if (above, top) not in crossed:
                crossed.add((above, top))
                for variable in asked:
                    if above < variable < top:
                        values[variable].update(range(sizes[variable]))
            if at_end or (one, two) in seen:
                continue
            seen.add((one, two))
            for value, (below, beside) in enumerate(zip(lefts, rights, strict=True)):
                if pair in self.pairs(below, beside):
                    if top in values:
                        values[top].add(value)
                    todo.append((below, beside, top))
        return {variable: frozenset(some) for variable, some in values.items() if len(some) < sizes[variable]}
