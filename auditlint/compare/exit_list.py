"""The exit and io_uring lists with the inode hash, class by class: where two rule sets decide differently.

A class of calls that meets the same rules in the same order on both sides cannot differ and is not looked at. For the
others the proof needs the exit list alone, with each watched file, and with two files only where that can matter:

* A rule with `dir` asks one variable, "some object lies in the tree"; any number of objects is any set of trees.
* For one file, the outcome and whether a rule on the file wins are compared. Where both agree for every file, each
  event with several objects is decided alike, because the first object that wins is the same.
* Where only the second differs, the file is tried before every other file.
* Rules on two files meet when one name is removed by the call, or when both are names of one file. The first that
  matches is one of the two files' rules, so pairs are enough; and of a pair one file must have a rule that was added,
  removed or moved.
"""

from __future__ import annotations

from auditlint.compare import calls
from auditlint.compare.diagram import FALSE, TRUE, Diagrams, Product, TooLarge, leaf
from auditlint.compare.dimensions import ASSUMED, Space
from auditlint.compare.literals import ANY_NAMES, ENTRY, ONE_NAME, UNLISTED, Side, conditions
from auditlint.compare.places import (
    EXCLUDED,
    IMPOSSIBLE,
    Base,
    Clause,
    Ending,
    Endings,
    Walker,
    place_of,
    without_return,
)
from auditlint.core.frozen import dataclass, replace
from auditlint.core.path_lookup import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from auditlint.compare.diagram import Node, Path
    from auditlint.compare.dimensions import Variable
    from auditlint.compare.literals import CallClass, Conditions
    from auditlint.compare.places import Place
    from auditlint.kernel.storage import Storage

    Files: TypeAlias = dict[Place, list[Clause]]


@dataclass(frozen=True, slots=True)
class Difference:
    """One pair of endings that some events of a class have, and how to reach them.

    `mode` tells the path objects: "plain" (at most the file), "removed" (the call removes the first file), "two" (the
    first file is looked at before the second), "alias" (both files are one). `files` are the watched files, `alike` all
    places with which the same happens. `cost` is that of the cheapest values; from `ASSUMED` up they need an unusual
    host.
    """

    list: str
    call: CallClass
    a: Ending
    b: Ending
    mode: str
    files: tuple[Place, ...]
    alike: tuple[Place, ...]
    cost: int
    space: Space
    product: Product
    nodes: tuple[Node, Node]
    pair: tuple[int, int]

    def paths(self) -> Iterator[tuple[int, Path]]:
        """The values of variables that lead there, the most ordinary first, each with its cost."""
        return self.product.paths(*self.nodes, self.pair)

    def values(self, kinds: Sequence[str]) -> dict[int, frozenset[int]]:
        """For the variables of these kinds: the values with which the pair of endings is reached. A variable that does
        not matter is left out."""
        return self.product.projection(
            *self.nodes,
            self.pair,
            [number for number, variable in self.space.variables.items() if variable.kind in kinds],
        )


@dataclass(frozen=True, slots=True)
class Question:
    """What counts as a difference: whether two endings differ, and what it assumes of keys."""

    keys: str

    def differ(self, a: Ending, b: Ending) -> bool:
        """Whether one side records what the other does not, or shows another key."""
        if a is IMPOSSIBLE or b is IMPOSSIBLE:
            return False
        if (a is EXCLUDED) != (b is EXCLUDED):
            return "always" in (a.action, b.action)
        if a is EXCLUDED or b is EXCLUDED:
            return False
        if a.action != b.action:
            return True
        return a.action == "always" and not same_keys(a.key, b.key, self.keys)


def same_keys(a: str | None, b: str | None, mode: str) -> bool:
    """Whether the key of B serves for that of A: equal, with further keys (`more`), or whatever it is (`any`)."""
    if mode == "any" or a == b:
        return True
    if mode == "more":
        return set((a or "").split("\x01")) - {""} <= set((b or "").split("\x01"))
    return False


class Numbered:
    """The rules of one side in the order of decision, with numbers for what is equal on both sides."""

    def __init__(self, storage: Storage, name: str, names: dict[object, int], keys: str) -> None:
        self.storage = storage
        self.side = Side(storage.target, storage.facts)
        chain = storage.exit if name == "exit" else storage.uring
        hashed = storage.hashed if name == "exit" else [each for each in storage.hashed if each.rule.list == name]
        self.rules = sorted((*chain, *hashed), key=lambda stored: -stored.prio)
        self.masks = [stored.mask for stored in self.rules]
        self.shapes: list[int] = []
        self.equal: list[int] = []
        self.trees: list[str | None] = []
        self.places: list[Place | None] = []
        for stored in self.rules:
            fields = [(each.name, each.op, each.value) for each in stored.rule.fields if each.name != "key"]
            tree = stored.path if stored.rule.get("dir") is not None else None
            shape = (
                stored.hashed,
                stored.path is None,
                tuple((name,) if name in ("path", "dir") else (name, op, value) for name, op, value in fields),
                stored.inode if stored.hashed and stored.path is None else None,
            )
            place = place_of(stored) if stored.hashed else None
            key = stored.rule.key if keys != "any" or stored.rule.key is None else ""
            whole = (shape, stored.mask, tree, place, stored.rule.action, key)
            self.shapes.append(names.setdefault(shape, len(names)))
            self.equal.append(names.setdefault(whole, len(names)))
            self.trees.append(tree)
            self.places.append(place)
        self._chosen: dict[int, list[bool]] = {}

    def met(self, number: int) -> list[int]:
        """The positions of the rules whose mask has a call, in order."""
        bit = 1 << number
        distinct: dict[int, bool] = {}
        for mask in set(self.masks):
            distinct[mask] = bool(mask & bit)
        return [at for at, mask in enumerate(self.masks) if distinct[mask]]

    def clauses(self, call: CallClass, met: Iterable[int]) -> tuple[list[Clause], Files]:
        """The rules of a class with their conditions: those of the list, and those on each file. Rules that no event of
        the class meets are left out."""
        known: dict[tuple[int, str | None], Conditions | None] = {}
        chain: list[Clause] = []
        files: Files = {}
        for at in met:
            place = self.places[at]
            if place is not None and call.pathless:
                continue
            stored = self.rules[at]
            key = (self.shapes[at], self.trees[at])
            if key in known:
                literals = known[key]
            else:
                literals = known[key] = conditions(stored, call, self.side)
            if literals is None:
                continue
            if place is None:
                chain.append(Clause(stored, literals, at))
            else:
                files.setdefault(place, []).append(Clause(stored, literals, at, 1))
        return chain, files


class ListComparison:
    """The comparison of one list; `differences()` goes class by class."""

    def __init__(
        self,
        a: Storage,
        b: Storage,
        name: str,
        question: Question,
        budget: Budget,
        dropped: Dropped,
        wanted: Callable[[int, int], int] | None = None,
    ) -> None:
        """`wanted` takes an ABI and a mask of calls, and leaves those that are looked at."""
        names: dict[object, int] = {}
        self.name = name
        self.a = Numbered(a, name, names, question.keys)
        self.b = Numbered(b, name, names, question.keys)
        self.same_target = a.target == b.target and a.facts == b.facts
        self.question = question
        self.budget = budget
        self.dropped = dropped
        self.wanted = wanted
        self.classes = 0
        self.looked = 0
        self.unknown: list[tuple[CallClass, str]] = []
        self.unnested: CallClass | None = None
        """A class that would differ if a tree were not in the trees around it."""

    def differences(self, aliases: bool = False) -> Iterator[Difference]:
        """Every pair of endings that differs, class by class. Classes beyond the budget go to `unknown`. With `aliases`
        only those that two names of one file bring about."""
        for whole in calls.call_classes(self.a.storage, self.b.storage, self.name):
            call = whole
            self.classes += not aliases
            if self.wanted is not None:
                mask = self.wanted(call.arch, call.mask)
                if not mask:
                    continue
                call = replace(call, mask=mask, number=calls.ranked(call.arch, mask)[0])
            left, right = self.a.met(call.number), self.b.met(call.number)
            if (
                self.same_target
                and [self.a.equal[at] for at in left] == [self.b.equal[at] for at in right]
                and (not self.dropped.differs)
            ):
                continue
            self.looked += not aliases
            if self.budget.ended():
                self.unknown.append((call, self.budget.reason))
                continue
            try:
                yield from self._class(call, left, right, aliases)
            except TooLarge as error:
                self.unknown.append((call, str(error)))

    def _class(self, call: CallClass, left: Sequence[int], right: Sequence[int], aliases: bool) -> Iterator[Difference]:
        ours, our_files = self.a.clauses(call, left)
        theirs, their_files = self.b.clauses(call, right)
        comparison = _Class(self, call, (ours, theirs), (our_files, their_files))
        yield from comparison.aliases() if aliases else comparison.differences()


class Budget:
    """How much a comparison may cost: nodes in all, and a clock that tells when time is over."""

    def __init__(self, nodes: int, expired: Callable[[], bool]) -> None:
        self.nodes = nodes
        self.used = 0
        self._expired = expired
        self.reason = ""

    def ended(self) -> bool:
        if not self.reason and self.used >= self.nodes:
            self.reason = f"more than {self.nodes:,} nodes"
        if not self.reason and self._expired():
            self.reason = "the time limit ended"
        return bool(self.reason)


@dataclass(frozen=True, slots=True)
class Dropped:
    """The conditions under which each exclude list drops SYSCALL records: for a side a list of (conditions, dropped) in
    the order of the walk. `differs`: not the same on both sides."""

    a: tuple[tuple[Conditions, bool], ...] = ()
    b: tuple[tuple[Conditions, bool], ...] = ()

    @property
    def differs(self) -> bool:
        return self.a != self.b


class _Class:
    """One class of calls that does not meet the same rules on both sides."""

    def __init__(
        self,
        owner: ListComparison,
        call: CallClass,
        chains: tuple[list[Clause], list[Clause]],
        files: tuple[Files, Files],
    ) -> None:
        self.owner, self.call = owner, call
        self.chains, self.files = chains, files
        everything = [*chains[0], *chains[1]]
        for side in files:
            for rules in side.values():
                everything += rules
        wanted = [clause.conditions for clause in everything]
        wanted += [literals for side in (owner.dropped.a, owner.dropped.b) for literals, _ in side]
        self.sticky = not all(side.storage.target.kernel_at_least("5.16") for side in (owner.a, owner.b))
        everything.sort(key=lambda clause: clause.rank)
        trees = [literal[1] for clause in everything for literal in clause.conditions if literal[0] == "tree"]
        self.diagrams = Diagrams(max(owner.budget.nodes - owner.budget.used, 1))
        self.space = Space(self.diagrams, call, wanted, trees)
        self.trees = tuple(dict.fromkeys(trees))
        simple = Endings(True, owner.question.keys != "any", False)
        flagged = Endings(True, owner.question.keys != "any", True)
        exact = Endings(False, True, True)
        self.endings = {"simple": simple, "flagged": flagged, "exact": exact}
        self.walkers = {name: Walker(self.space, endings) for name, endings in self.endings.items()}
        self._trees_allowed: Node | None = None
        self._made: dict[tuple[int, Place | None], tuple[Base, Base]] = {}

    def differences(self) -> Iterator[Difference]:
        try:
            yield from self._alone()
            yield from self._single_files()
            if self.call.removes:
                yield from self._pairs(False)
        finally:
            self.owner.budget.used += len(self.diagrams)

    def aliases(self) -> Iterator[Difference]:
        """What differs when two watched names are one file."""
        try:
            yield from self._pairs(True)
        finally:
            self.owner.budget.used += len(self.diagrams)

    # -- the list alone, and one file

    def _alone(self) -> Iterator[Difference]:
        yield from self._compare("plain", (), (), lambda walker, bases, side: bases[side].nodes[0])

    def _bases(self, walker: Walker, removed: Place | None = None) -> tuple[Base, Base]:
        def clauses(side: int) -> list[Clause]:
            chain = self.chains[side]
            if removed is None:
                return chain
            return sorted([*chain, *self._early(side, removed)], key=lambda clause: clause.rank)

        key = (id(walker), removed)
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = (walker.base(clauses(0)), walker.base(clauses(1)))
        return known

    def _early(self, side: int, place: Place) -> list[Clause]:
        """The rules on a file that the call removes."""
        found = []
        for clause in self.files[side].get(place, ()):
            literals = without_return(clause.conditions, self.sticky)
            if literals is not None:
                found.append(Clause(clause.stored, literals, clause.rank, 1, True))
        return found

    def _signatures(self, skip_equal: bool) -> dict[object, list[Place]]:
        """The watched files by what their rules are like: files of one signature are decided alike but for their keys
        and names."""
        exit_equal = self._same_chain()
        keys = {clause.stored.rule.key for chain in self.chains for clause in chain}
        ranks = [[clause.rank for clause in chain] for chain in self.chains]
        found: dict[object, list[Place]] = {}
        for place in dict.fromkeys((*self.files[0], *self.files[1])):
            labels: dict[str | None, object] = {None: None}
            sides = []
            for side in (0, 1):
                rows = []
                for clause in self.files[side].get(place, ()):
                    key = clause.stored.rule.key
                    if key not in labels:
                        shared = key in keys or self.owner.question.keys == "more"
                        labels[key] = key if shared else len(labels)
                    if self.owner.question.keys == "any" and key is not None:
                        labels[key] = ""
                    position = _before(ranks[side], clause.rank)
                    rows.append((position, clause.conditions, clause.stored.rule.action, labels[key]))
                sides.append(tuple(rows))
            if skip_equal and exit_equal and sides[0] == sides[1]:
                continue
            found.setdefault(tuple(sides), []).append(place)
        return found

    def _same_chain(self) -> bool:
        if self.owner.dropped.differs:
            return False
        rows = [
            [(clause.conditions, clause.stored.rule.action, self._label(clause)) for clause in chain]
            for chain in self.chains
        ]
        return rows[0] == rows[1]

    def _label(self, clause: Clause) -> str | None:
        key = clause.stored.rule.key
        return key if self.owner.question.keys != "any" or key is None else ""

    def _single_files(self) -> Iterator[Difference]:
        for places in self._signatures(True).values():
            place = places[0]

            def node(walker: Walker, bases: tuple[Base, Base], side: int, place: Place = place) -> Node:
                return walker.with_file(bases[side], self.files[side].get(place, ()))

            yield from self._compare("plain", (place,), places, node)
            if self.call.names >= ENTRY and self._flags_differ(node):
                yield from self._before_others(place, None)
            if self.call.removes and self._early_matters(place):
                yield from self._compare("removed", (place,), places, lambda w, b, s: b[s].nodes[0], place)

    def _early_matters(self, place: Place) -> bool:
        """Whether the removal of the file can show more than its use: conditions on the return value, or a rule of the
        list without key, which shows that of the file."""
        rules = [clause for side in self.files for clause in side.get(place, ())]
        if any(literal[0] == "outcome" for clause in rules for literal in clause.conditions):
            return True
        return any(clause.stored.rule.key is None for chain in self.chains for clause in chain)

    def _flags_differ(
        self, node: Callable[[Walker, tuple[Base, Base], int], Node], removed: Place | None = None
    ) -> bool:
        """Whether a rule on the file wins on one side only, somewhere; the outcomes may be the same."""
        walker = self.walkers["flagged"]
        bases = self._bases(walker, removed)
        endings = self.endings["flagged"].endings

        def differ(left: int, right: int) -> bool:
            return (endings[left].slot > 0) != (endings[right].slot > 0)

        product = Product(self.diagrams, differ, lambda variable, value: 0)
        return bool(product.pairs(node(walker, bases, 0), node(walker, bases, 1)))

    # -- two files

    def _before_others(self, first: Place, removed: Place | None) -> Iterator[Difference]:
        """A file whose rules win on one side only, looked at before each other file."""
        for places in self._signatures(False).values():
            second = next((place for place in places if self._together(first, place)), None)
            if second is None:
                continue

            def node(walker: Walker, bases: tuple[Base, Base], side: int, second: Place = second) -> Node:
                one = walker.with_file(bases[side], self.files[side].get(first, ()))
                two = walker.with_file(bases[side], self._second(side, second))
                return walker.first_of(one, two, 1)

            yield from self._compare("two", (first, second), places, node)

    def _together(self, first: Place, second: Place) -> bool:
        """Whether a call of the class can have both files: any two, or a directory and an entry of it."""
        if first == second or self.call.names == ONE_NAME:
            return False
        if self.call.names >= ANY_NAMES or "inode" in (first[0], second[0]):
            return True
        one, two = str(first[1]), str(second[1])
        return (one.rpartition("/")[0] or "/") == two or (two.rpartition("/")[0] or "/") == one

    def _second(self, side: int, place: Place) -> list[Clause]:
        return [Clause(clause.stored, clause.conditions, clause.rank, 2) for clause in self.files[side].get(place, ())]

    def _pairs(self, aliases: bool) -> Iterator[Difference]:
        """Two files whose rules meet: both are one file, or one is removed while the other is looked at."""
        changed = self._changed()
        if not changed:
            return
        tried: set[object] = set()
        everything = list(dict.fromkeys((*self.files[0], *self.files[1])))
        for first in changed:
            for second in everything:
                if second == first or (second in changed and everything.index(second) < everything.index(first)):
                    continue
                if not aliases and not self._together(first, second):
                    continue
                signature = self._pair_signature(first, second)
                if signature is None or signature in tried:
                    continue
                tried.add(signature)
                if self.owner.budget.ended():
                    raise TooLarge(self.owner.budget.reason)
                if aliases:
                    yield from self._one_file(first, second)
                else:
                    yield from self._removed_beside(first, second)
                    yield from self._removed_beside(second, first)

    def _pair_signature(self, first: Place, second: Place) -> object | None:
        """What the rules of two files are like together; None when it is the same on both sides."""
        labels: dict[str | None, object] = {None: None}
        keys = {clause.stored.rule.key for chain in self.chains for clause in chain}
        sides = []
        for side in (0, 1):
            ranks = [clause.rank for clause in self.chains[side]]
            rules = [(clause, 0) for clause in self.files[side].get(first, ())]
            rules += [(clause, 1) for clause in self.files[side].get(second, ())]
            rules.sort(key=lambda pair: pair[0].rank)
            rows = []
            for clause, which in rules:
                key = self._label(clause)
                if key not in labels:
                    labels[key] = key if key in keys or self.owner.question.keys == "more" else len(labels)
                rows.append(
                    (_before(ranks, clause.rank), which, clause.conditions, clause.stored.rule.action, labels[key])
                )
            sides.append(tuple(rows))
        if sides[0] == sides[1] and self._same_chain():
            return None
        return tuple(sides)

    def _one_file(self, first: Place, second: Place) -> Iterator[Difference]:
        def node(walker: Walker, bases: tuple[Base, Base], side: int) -> Node:
            rules = [*self.files[side].get(first, ()), *self.files[side].get(second, ())]
            return walker.with_file(bases[side], sorted(rules, key=lambda clause: clause.rank))

        yield from self._compare("alias", (first, second), (second,), node)

    def _removed_beside(self, removed: Place, other: Place) -> Iterator[Difference]:
        def node(walker: Walker, bases: tuple[Base, Base], side: int) -> Node:
            return walker.with_file(bases[side], self._second(side, other))

        differs = False
        for difference in self._compare("removed", (removed, other), (other,), node, removed):
            differs = True
            yield difference
        if not differs and self._flags_differ(node, removed):
            self.owner.unknown.append((self.call, "three watched files in one call"))

    def _changed(self) -> list[Place]:
        """The files with a rule that was added, removed or moved among the rules on files."""
        rows: list[list[tuple[tuple[object, ...], Place]]] = []
        for side in (0, 1):
            clauses = [(clause, place) for place, rules in self.files[side].items() for clause in rules]
            clauses.sort(key=lambda pair: pair[0].rank)
            rows.append(
                [
                    ((place, clause.conditions, clause.stored.rule.action, self._label(clause)), place)
                    for clause, place in clauses
                ]
            )
        keyless = any(clause.stored.rule.key is None for chain in self.chains for clause in chain)
        keyless = keyless or any(row[3] is None for side in rows for row, _ in side)
        if keyless and not self._same_chain():
            # A rule without key shows that of another: which files meet is not told by their own rules alone.
            return list(dict.fromkeys((*self.files[0], *self.files[1])))
        kept = aligned([row for row, _ in rows[0]], [row for row, _ in rows[1]])
        changed: dict[Place, None] = {}
        for side in (0, 1):
            for at, (_, place) in enumerate(rows[side]):
                if at not in kept[side]:
                    changed[place] = None
        return list(changed)

    # -- comparing two diagrams

    def _compare(
        self,
        mode: str,
        files: tuple[Place, ...],
        alike: Sequence[Place],
        node: Callable[[Walker, tuple[Base, Base], int], Node],
        removed: Place | None = None,
    ) -> Iterator[Difference]:
        simple = self.walkers["simple"]
        bases = self._bases(simple, removed)
        whole = (node(simple, bases, 0), node(simple, bases, 1))
        if whole[0] == whole[1] and not self.owner.dropped.differs:
            return
        endings = self.endings["simple"].endings
        differ = self.owner.question.differ
        rough = Product(self.diagrams, lambda one, two: differ(endings[one], endings[two]), lambda variable, value: 0)
        whole = (self._kept(simple, whole[0], 0), self._kept(simple, whole[1], 1))
        if not rough.pairs(*whole):
            return
        if not rough.pairs(*(self._possible(simple, each) for each in whole)):
            if self.call.names >= ANY_NAMES and self.owner.unnested is None:
                self.owner.unnested = self.call
            return
        exact = self.walkers["exact"]
        bases = self._bases(exact, removed)
        nodes = (
            self._possible(exact, self._kept(exact, node(exact, bases, 0), 0)),
            self._possible(exact, self._kept(exact, node(exact, bases, 1), 1)),
        )
        named = self.endings["exact"].endings
        cost = self.space.coster(lambda variable, value: self._assumption(variable, value, files))
        product = Product(self.diagrams, lambda one, two: differ(named[one], named[two]), cost)
        for pair, price in sorted(product.pairs(*nodes).items(), key=lambda item: item[1]):
            if mode == "alias" or (files and self.call.names == UNLISTED):
                price += ASSUMED
            yield Difference(
                self.owner.name,
                self.call,
                named[pair[0]],
                named[pair[1]],
                mode,
                files,
                tuple(alike),
                price,
                self.space,
                product,
                nodes,
                pair,
            )

    def _assumption(self, variable: Variable, value: int, files: Sequence[Place]) -> int:
        """A file that is in a tree is reached through it, and who is in a tree is in the trees around it, unless it has
        another name or is mounted elsewhere."""
        if variable.kind != "tree":
            return 0
        assert isinstance(variable.name, tuple)
        tree = variable.name[1]
        paths = [str(path) for kind, path in files if kind == "path"]
        if not value:
            return ASSUMED if any(inside(path, tree) for path in paths) else 0
        if self.call.names == UNLISTED:
            return ASSUMED
        if self.call.names == ANY_NAMES or not paths or any(inside(path, tree) for path in paths):
            return 0
        below = self.call.names == ENTRY and any(inside(tree, path) for path in paths)
        return 0 if below else ASSUMED

    def _usual_trees(self) -> Node:
        """The sets of trees that the objects of an event can lie in: who is in a tree is in the trees around it, and
        one object (or an entry and its directory) is not in two trees of which neither holds the other."""
        if self._trees_allowed is not None:
            return self._trees_allowed
        trees = sorted((self.space.boolean(("tree", tree), 2), tree) for tree in self.trees)
        single = self.call.names in (ONE_NAME, ENTRY)
        made: dict[tuple[int, frozenset[str], frozenset[str]], Node] = {}

        def bars(state: bool, tree: str, other: str, taken: bool) -> bool:
            """Whether `tree` in that state forbids the other state."""
            if state and taken:
                return single and _apart(tree, other)
            return inside(tree, other) and state if not taken else not state and inside(other, tree)

        def walk(at: int, within: frozenset[str], without: frozenset[str]) -> Node:
            if at == len(trees):
                return TRUE
            later = [tree for _, tree in trees[at:]]
            within = frozenset(
                tree
                for tree in within
                if any(bars(True, tree, other, False) or bars(True, tree, other, True) for other in later)
            )
            without = frozenset(tree for tree in without if any(bars(False, tree, other, True) for other in later))
            key = (at, within, without)
            node = made.get(key)
            if node is None:
                variable, tree = trees[at]
                left_out = any(bars(True, other, tree, False) for other in within)
                taken = any(bars(True, other, tree, True) for other in within) or any(
                    bars(False, other, tree, True) for other in without
                )
                node = made[key] = self.diagrams.node(
                    variable,
                    (
                        FALSE if left_out else walk(at + 1, within, without | {tree}),
                        FALSE if taken else walk(at + 1, within | {tree}, without),
                    ),
                )
            return node

        self._trees_allowed = walk(0, frozenset(), frozenset())
        return self._trees_allowed

    def _possible(self, walker: Walker, node: Node) -> Node:
        """The decision for events that the calls can have."""
        if len(self.trees) < 2:
            return node
        return self.diagrams.choose(self._usual_trees(), node, leaf(walker.endings.number(IMPOSSIBLE)))

    def _kept(self, walker: Walker, node: Node, side: int) -> Node:
        """The decision with what the exclude list drops as a whole."""
        rows = self.owner.dropped.a if side == 0 else self.owner.dropped.b
        if not rows:
            return node
        dropped = FALSE
        for literals, answer in reversed(rows):
            dropped = self.diagrams.choose(self.space.condition(literals), TRUE if answer else FALSE, dropped)
        return self.diagrams.choose(dropped, leaf(walker.endings.number(EXCLUDED)), node)


def _apart(one: str, two: str) -> bool:
    """Whether no object lies in both directories."""
    return not inside(one, two) and not inside(two, one)


def _before(ranks: Sequence[int], rank: int) -> int:
    return sum(1 for each in ranks if each < rank)


def aligned(a: Sequence[object], b: Sequence[object]) -> tuple[set[int], set[int]]:
    """The positions of a longest common subsequence of two lists whose elements are nearly all different: by the
    longest increasing run of the places in `b` of the elements of `a`."""
    places: dict[object, list[int]] = {}
    for at, element in enumerate(b):
        places.setdefault(element, []).append(at)
    used: dict[object, int] = {}
    pairs: list[tuple[int, int]] = []
    for at, element in enumerate(a):
        spots = places.get(element)
        turn = used.get(element, 0)
        if spots is not None and turn < len(spots):
            used[element] = turn + 1
            pairs.append((at, spots[turn]))
    from bisect import bisect_left

    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for number, (_, spot) in enumerate(pairs):
        length = bisect_left(tails, spot)
        previous.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(spot)
            ends.append(number)
        else:
            tails[length] = spot
            ends[length] = number
    kept: tuple[set[int], set[int]] = (set(), set())
    number = ends[-1] if ends else -1
    while number >= 0:
        kept[0].add(pairs[number][0])
        kept[1].add(pairs[number][1])
        number = previous[number]
    return kept
