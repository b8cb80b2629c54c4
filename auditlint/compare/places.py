"""Which rule decides, as a diagram: the exit list alone, with one watched file, with two.

The kernel walks the exit list first and then, object by object, the rules on that file (the inode hash); the greater
priority wins, and of several objects the first whose rules win ends the search (audit_filter_syscall(),
audit_filter_inodes(), kernel/auditsc.c). So for one file the rules of both are one list in the order of priority. Rules
on different files do not compete: the first object decides. A name that the call removes is looked at while it goes
away, before the exit list, when the call has no return value yet.
"""

from __future__ import annotations

from auditlint.compare.diagram import leaf
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from auditlint.compare.diagram import Diagrams, Node
    from auditlint.compare.dimensions import Space
    from auditlint.compare.literals import Conditions
    from auditlint.kernel.storage import Stored

    Place: TypeAlias = tuple[str, object]
    """What a hashed rule stands on: ("path", text) or ("inode", number)."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule with its conditions for one class of calls. `rank` is its place in the order of decision, 0 first.

    `early`: it is asked while the name goes away. `slot` tells the objects of an event apart: 0 the exit list, 1 the
    first file, 2 the second.
    """

    stored: Stored
    conditions: Conditions
    rank: int
    slot: int = 0
    early: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How a walk ends: the rule that decides, the rule whose key shows (None: no key), and the slot of the winner."""

    winner: Stored | None = None
    keyed: Stored | None = None
    slot: int = 0

    @property
    def action(self) -> str:
        return self.winner.rule.action if self.winner is not None else "none"

    @property
    def key(self) -> str | None:
        return self.keyed.rule.key if self.keyed is not None else None


@dataclass(frozen=True, slots=True)
class Base:
    """The exit list of one class as diagrams: `nodes[i]` is the decision from clause i on, `thens[i]` how a walk ends
    at clause i. After the last clause no rule matches."""

    clauses: tuple[Clause, ...]
    nodes: tuple[Node, ...]
    thens: tuple[Node, ...]


EXCLUDED = Ending(slot=-1)
"""Recorded by a rule or not: the exclude list drops the whole event."""


IMPOSSIBLE = Ending(slot=-2)
"""No call of the class has such path objects."""


class Endings:
    """The endings of one class as numbers. `simple`: endings that read alike are one, so that equal rule sets give
    equal diagrams; else each rule is told apart."""

    def __init__(self, simple: bool, keys: bool, slots: bool) -> None:
        self._numbers: dict[object, int] = {}
        self.endings: list[Ending] = []
        self._simple, self._keys, self._slots = simple, keys, slots

    def number(self, ending: Ending) -> int:
        """The number of an ending."""
        if self._simple:
            name: object = (ending.action, ending.key if self._keys else None, ending.slot if self._slots else 0)
            if ending.slot < 0:
                name = ending.slot
        else:
            name = (id(ending.winner), id(ending.keyed), ending.slot)  # rules of both sides: numbers would not do
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.endings)
            self.endings.append(ending)
        return known


class Walker:
    """Makes the diagrams of one rule set for one class."""

    def __init__(self, space: Space, endings: Endings) -> None:
        self.space = space
        self.endings = endings
        self._conditions: dict[tuple[Conditions, int], Node] = {}

    @property
    def diagrams(self) -> Diagrams:
        return self.space.diagrams

    def _node(self, clause: Clause) -> Node:
        """The conditions of a clause, those on "the object at hand" apart for each slot."""
        key = (clause.conditions, clause.slot)
        node = self._conditions.get(key)
        if node is None:
            literals = clause.conditions
            if clause.slot > 1:
                literals = frozenset(_of_second(literal) for literal in literals)
            node = self._conditions[key] = self.space.condition(literals)
        return node

    def _end(self, clause: Clause) -> Node:
        keyed = clause.stored if clause.stored.rule.key is not None else None
        return leaf(self.endings.number(Ending(clause.stored, keyed, clause.slot)))

    def _with_key_of(self, clause: Clause, below: Node) -> Node:
        """The end at a rule without key: it shows the key that was there already."""
        endings = self.endings

        def keyed(number: int) -> int:
            return endings.number(Ending(clause.stored, endings.endings[number].keyed, clause.slot))

        return self.diagrams.mapped(below, keyed)

    def base(self, clauses: Sequence[Clause]) -> Base:
        """The exit list, and what a removed name has met before it."""
        choose = self.diagrams.choose
        nothing = leaf(self.endings.number(Ending()))
        early = nothing
        for clause in reversed([each for each in clauses if each.early]):
            early = choose(self._node(clause), self._end(clause), early)
        thens = []
        for clause in clauses:
            keyless = clause.stored.rule.key is None and not clause.early
            thens.append(self._with_key_of(clause, early) if keyless else self._end(clause))
        nodes = [nothing]
        for clause, then in zip(reversed(clauses), reversed(thens), strict=True):
            nodes.append(choose(self._node(clause), then, nodes[-1]))
        nodes.reverse()
        return Base(tuple(clauses), tuple(nodes), tuple(thens))

    def with_file(self, base: Base, rules: Sequence[Clause]) -> Node:
        """The decision when one object is a file with these rules, in their order."""
        if not rules:
            return base.nodes[0]
        choose = self.diagrams.choose
        left = list(rules)
        at = _after(base.clauses, left[-1].rank)
        node = base.nodes[at]
        while True:
            while left and _after(base.clauses, left[-1].rank) == at:
                rule = left.pop()
                keyed = rule.stored.rule.key is not None
                then = self._end(rule) if keyed else self._with_key_of(rule, base.nodes[at])
                node = choose(self._node(rule), then, node)
            if at == 0:
                return node
            at -= 1
            node = choose(self._node(base.clauses[at]), base.thens[at], node)

    def in_chain_order(self, base: Base, chain: Sequence[Clause]) -> Node:
        """The same when the rules on the file are met in another order than that of their priority: the first that
        matches among those of greater priority than the winner of the exit list."""
        choose = self.diagrams.choose
        node = base.nodes[-1]
        for at in range(len(base.clauses), -1, -1):
            last = at == len(base.clauses)
            here = below = base.nodes[-1] if last else base.thens[at]
            for rule in reversed([each for each in chain if last or each.rank < base.clauses[at].rank]):
                then = self._end(rule) if rule.stored.rule.key is not None else self._with_key_of(rule, below)
                here = choose(self._node(rule), then, here)
            node = here if last else choose(self._node(base.clauses[at]), here, node)
        return node

    def first_of(self, first: Node, second: Node, slot: int) -> Node:
        """The decision for two objects: that of the first if a rule on its file (of that slot) wins, else that of the
        second."""
        endings = self.endings.endings
        wins = self.diagrams.mapped(first, lambda number: int(endings[number].slot == slot))
        return self.diagrams.choose(wins, first, second)


def _after(clauses: Sequence[Clause], rank: int) -> int:
    """The number of clauses that are decided before a rank."""
    low, high = 0, len(clauses)
    while low < high:
        middle = (low + high) // 2
        if clauses[middle].rank < rank:
            low = middle + 1
        else:
            high = middle
    return low


def _of_second(literal: tuple[object, ...]) -> tuple[object, ...]:
    """A condition on the object at hand, for a second object."""
    if literal[0] == "flag" and isinstance(literal[1], tuple) and literal[1][0] == "own":
        return ("flag", ("own", "second", *literal[1][1:]), literal[2])
    return literal


def without_return(conditions: Conditions, sticky: bool) -> Conditions | None:
    """The conditions while a name goes away: the call has no return value, so every condition on it is false; before
    5.16 (`sticky`) that of an earlier call is still there. None: never met."""
    outcomes = [literal for literal in conditions if literal[0] == "outcome"]
    if not outcomes:
        return conditions
    if not sticky:
        return None
    rest = {literal for literal in conditions if literal[0] != "outcome"}
    return frozenset({*rest, *(("flag", ("outcome of the call before", *literal[1:]), True) for literal in outcomes)})


def place_of(stored: Stored) -> Place:
    """Where a hashed rule stands."""
    if stored.inode is not None:
        return ("inode", stored.inode)
    return ("path", stored.path)


def text_of(place: Place, rules: Iterable[Stored]) -> str:
    """A place for people: the path, else the number of the inode."""
    return next((stored.path for stored in rules if stored.path is not None), f"inode {place[1]}")
