"""The dimensions of an event for one class of system calls, cut into as many values as its conditions tell apart.

A number (an id, an argument) is cut into atoms: sets of numbers that all conditions of both rule sets see alike. `&`
and `&=` split by bits; the access mode of an open is two bits of its argument, so it is never apart from a condition on
that argument. Pairs of ids (`-C`) are decided by the atoms of both; where both fall into one atom with several numbers,
a variable of its own tells whether they are equal. Of groups the primary one is cut, and for each number asked for
there is a variable "is a supplementary group", which gid and egid share.
"""

from __future__ import annotations

from auditlint.auditctl.tables import usual_links
from auditlint.compare.diagram import FALSE, TRUE, TooLarge
from auditlint.core.frozen import dataclass
from auditlint.kernel.constraints import domain
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.fields import compare
from auditlint.kernel.satisfy import VALUE_TELLS_SUCCESS
from auditlint.kernel.sets import Numbers
from auditlint.kernel.syscall_classes import access_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from auditlint.compare.diagram import Diagrams, Node
    from auditlint.compare.literals import CallClass, Conditions, Literal

    Condition: TypeAlias = tuple[str, int]

ASSUMED = 100_000
"""Cost of a value that only an unusual host gives, such as two names of one file: dearer than all ordinary values."""
MOST_ATOMS = 4096
_ROOMS = {"flags": Numbers(((0, 3),)), "session": Numbers(), "family": Numbers(), "sticky family": Numbers()}
"""Values of the dimensions that are no field; of the flags of openat2 only the access mode counts."""
_ERRORS = Numbers(((U32 - 4094, U32),))
_BIT_0, _BIT_1 = ("&", 1), ("&", 2)
_USUAL: dict[str, tuple[int, ...]] = {
    "auid": (1000, UNSET, 0, 1001),
    "uid": (1000, 0, 1001),
    "euid": (1000, 0, 1001),
    "suid": (1000, 0, 1001),
    "fsuid": (1000, 0, 1001),
    "gid": (1000, 0, 1001),
    "egid": (1000, 0, 1001),
    "sgid": (1000, 0, 1001),
    "fsgid": (1000, 0, 1001),
    "pid": (4321, 1),
    "ppid": (4320, 1, 0),
    "session": (3, UNSET),
    "a1": (0, 1, 2, 0o101),
    "a2": (0, 1, 2, 0o101),
    "exit": (0, 3, U32 - 12, U32 - 1, U32),
    "family": (2, 1, 10),
    "sticky family": (2, 1, 10),
}
"""Ordinary values, the most ordinary first; 0 for what is not here. -13, -2 and -1 are EACCES, ENOENT and EPERM."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One dimension: its `kind` and `name`, and for each value what stands for it in an event and what it costs.

    A value of a number is a tuple of `Numbers`, the union of which it is; see `Space` for the other kinds.
    """

    kind: str
    name: object
    values: tuple[object, ...]
    costs: tuple[int, ...]


class Space:
    """The variables of one class of calls, and its conditions as diagrams over them."""

    def __init__(self, diagrams: Diagrams, call: CallClass, wanted: Sequence[Conditions], trees: Iterable[str]) -> None:
        """`wanted` are the conditions of all rules of the class, `trees` their directories in the order in which they
        are decided. Raises TooLarge."""
        self.diagrams = diagrams
        self.call = call
        self.variables: dict[int, Variable] = {}
        self._literals: dict[Literal, None] = {}
        for literals in wanted:
            for literal in literals:
                self._literals[literal] = None
        self._known: dict[Literal, Node] = {}
        self._conjunctions: dict[Conditions, Node] = {}
        self._numbers: dict[str, tuple[int, list[Condition], list[tuple[bool, ...]]]] = {}
        self._outcome: tuple[int, list[Literal], list[tuple[bool, ...]]] | None = None
        self._programs: tuple[int, list[frozenset[object]]] | None = None
        self._booleans: dict[object, int] = {}
        self.asks_label = any(
            literal[0] == "flag" and isinstance(literal[1], tuple) and literal[1][0] == "label"
            for literal in self._literals
        )
        """Whether a condition asks for the label of the task although the security module is not known."""
        self.programs: tuple[object, ...] = ()
        """The programs that conditions name, as paths or inode numbers."""
        self._make(dict.fromkeys(trees))

    # -- variables

    def _variable(self, kind: str, name: object, values: Sequence[object], costs: Sequence[int]) -> int:
        number = self.diagrams.variable(len(values))
        self.variables[number] = Variable(kind, name, tuple(values), tuple(costs))
        return number

    def boolean(self, name: object, cost: int) -> int:
        """The variable of something that is only true or false; true costs."""
        number = self._booleans.get(name)
        if number is None:
            kind = name[0] if isinstance(name, tuple) else "flag"
            number = self._booleans[name] = self._variable(str(kind), name, (False, True), (0, cost))
        return number

    def _make(self, trees: Iterable[str]) -> None:
        groups: dict[str, dict[Condition, None]] = {}
        pairs: list[tuple[str, str]] = []
        outcomes: list[Literal] = []
        programs: dict[object, None] = {}
        labels: dict[str, dict[str, None]] = {}
        members: dict[int, None] = {}
        flags: dict[object, None] = {}
        for literal in sorted(self._literals, key=repr):
            kind, *rest = literal
            if kind == "number":
                groups.setdefault(rest[0], {})[rest[1], rest[2]] = None
            elif kind == "mode":
                own = groups.setdefault(rest[0], {})
                own[_BIT_0] = own[_BIT_1] = None
            elif kind == "family":
                groups.setdefault(rest[0], {})[rest[1], rest[2]] = None
            elif kind == "member":
                groups.setdefault(rest[0], {})["=", rest[1]] = None
                members[rest[1]] = None
            elif kind == "pair":
                pairs.append((rest[0], rest[1]))
                groups.setdefault(rest[0], {})
                groups.setdefault(rest[1], {})
            elif kind == "outcome":
                outcomes.append(literal)
            elif kind == "program":
                programs[rest[0]] = None
            elif kind == "label":
                labels.setdefault(rest[0], {})[rest[1]] = None
            elif kind == "flag":
                flags[rest[0]] = None
        self._link(groups, pairs)
        if outcomes:
            self._make_outcome(outcomes)
        for name in sorted(groups):
            self._make_number(name, list(groups[name]))
        if programs:
            self._make_programs(list(programs))
        for part, texts in labels.items():
            values = (None, *texts)
            self._booleans["label", part] = self._variable("label", part, values, (0, *(4 for _ in texts)))
        for number in members:
            self.boolean(("group", number), 6)
        for left, right in dict.fromkeys(pairs):
            self.boolean(("equal", left, right), 1)
        for flag in flags:
            self.boolean(("flag", flag), 3 if isinstance(flag, tuple) and flag[0] in ("some", "own") else 30)
        for tree in trees:
            self.boolean(("tree", tree), 2)

    @staticmethod
    def _link(groups: dict[str, dict[Condition, None]], pairs: Iterable[tuple[str, str]]) -> None:
        """Ids that are compared with each other are cut alike."""
        leader = {name: name for pair in pairs for name in pair}
        for left, right in pairs:
            old, new = leader[left], leader[right]
            leader = {name: new if at == old else at for name, at in leader.items()}
        shared: dict[str, dict[Condition, None]] = {}
        for name, at in leader.items():
            shared.setdefault(at, {}).update(groups.get(name, {}))
        for name, at in leader.items():
            groups[name] = dict(shared[at])

    def _make_number(self, name: str, asked: list[Condition]) -> None:
        room = _ROOMS.get(name) or domain(name)
        cut = atoms(room, asked)
        values: list[object] = [pieces for _, pieces in cut]
        truths = [truth for truth, _ in cut]
        costs = [_cost_of(name, pieces) for _, pieces in cut]
        if name.endswith("family"):
            values.insert(0, None)
            truths.insert(0, (False,) * len(asked))
            costs = [0, *(cost + 2 for cost in costs)]
        self._numbers[name] = (self._variable("number", name, values, costs), asked, truths)

    def _make_outcome(self, asked: list[Literal]) -> None:
        """The return value: undefined, or success or failure with a number. Where the kernel derives one from the
        other, failures are -4095..-1; a success may have any value once cut to 32 bits."""
        derived = self.call.arch & 0xFFFF in VALUE_TELLS_SUCCESS
        numbers = [(op, value) for _, name, op, value in asked if name == "exit"]
        best: dict[tuple[bool, ...], tuple[int, object]] = {(False,) * len(asked): (9, (None, None))}
        for success, room in ((True, Numbers()), (False, _ERRORS if derived else Numbers())):
            for truth, pieces in atoms(room, numbers):
                answers = iter(truth)
                row = tuple(
                    next(answers) if name == "exit" else compare(1 if success else 2, op, 1 if value else 2) is True
                    for _, name, op, value in asked
                )
                cost = _cost_of("exit", pieces) + (0 if success else 2)
                likely = preferred("exit", pieces)
                if success is (likely > U32 - 4095):
                    cost += 40
                if cost < best.get(row, (1 << 30, None))[0]:
                    best[row] = (cost, (success, pieces))
        number = self._variable("outcome", "outcome", [v for _, v in best.values()], [c for c, _ in best.values()])
        self._outcome = (number, asked, list(best))

    def _make_programs(self, programs: list[object]) -> None:
        """Each named program, another one, and for spellings that usual links make one: both at once."""
        self.programs = tuple(programs)
        values: list[frozenset[object]] = [frozenset(), *(frozenset((program,)) for program in programs)]
        costs = [0, *(4 for _ in programs)]
        by_end: dict[str, list[object]] = {}
        for program in programs:
            if isinstance(program, str):
                by_end.setdefault(unlinked(program), []).append(program)
        for same in by_end.values():
            if len(same) > 1:
                values.append(frozenset(same))
                costs.append(ASSUMED)
        self._programs = (self._variable("program", "exe", values, costs), values)

    # -- conditions

    def condition(self, literals: Conditions) -> Node:
        """All of these conditions together."""
        node = self._conjunctions.get(literals)
        if node is None:
            node = TRUE
            # From the last variable to the first: each step puts a node on top.
            nodes = sorted((self.literal(literal) for literal in literals), key=self._rank, reverse=True)
            for each in nodes:
                node = self.diagrams.both(each, node)
            self._conjunctions[literals] = node
        return node

    def _rank(self, node: Node) -> int:
        return self.diagrams.variables[node] if node >= 0 else -1

    def literal(self, literal: Literal) -> Node:
        """One condition."""
        node = self._known.get(literal)
        if node is None:
            node = self._known[literal] = self._literal(literal)
        return node

    def _literal(self, literal: Literal) -> Node:
        kind, *rest = literal
        test = self.diagrams.test
        if kind in ("number", "family"):
            variable, asked, truths = self._numbers[rest[0]]
            at = asked.index((rest[1], rest[2]))
            return test(variable, [truth[at] for truth in truths])
        if kind == "mode":
            variable, asked, truths = self._numbers[rest[0]]
            low, high = asked.index(_BIT_0), asked.index(_BIT_1)
            granted = [bool(access_mode(truth[low] + 2 * truth[high]) & rest[1]) for truth in truths]
            return test(variable, [given is rest[2] for given in granted])
        if kind == "outcome":
            assert self._outcome is not None
            variable, literals, rows = self._outcome
            at = literals.index(literal)
            return test(variable, [row[at] for row in rows])
        if kind == "program":
            assert self._programs is not None
            variable, named = self._programs
            return test(variable, [(rest[0] in value) is rest[1] for value in named])
        if kind == "label":
            variable = self._booleans["label", rest[0]]
            return test(variable, [(value == rest[1]) is rest[2] for value in self.variables[variable].values])
        if kind == "member":
            return self._member(*rest)
        if kind == "pair":
            return self._pair(*rest)
        name = ("tree", rest[0]) if kind == "tree" else ("flag", rest[0])
        wanted = True if kind == "tree" else rest[1]
        if kind == "flag" and name not in self._booleans:
            self.boolean(name, 3)  # of a second object: asked after all others
        return test(self._booleans[name], [not wanted, wanted])

    def _member(self, name: str, value: int, wanted: bool) -> Node:
        variable, asked, truths = self._numbers[name]
        at = asked.index(("=", value))
        primary = self.diagrams.test(variable, [truth[at] for truth in truths])
        supplementary = self.diagrams.test(self._booleans["group", value], [False, True])
        member = self.diagrams.either(primary, supplementary)
        return member if wanted else self.diagrams.negated(member)

    def _pair(self, left: str, right: str, equal: bool) -> Node:
        """Equal when both lie in one atom and are the same number there."""
        first, _, ours = self._numbers[left]
        second, _, theirs = self._numbers[right]
        same = self.diagrams.test(self._booleans["equal", left, right], [False, True])
        if first > second:
            first, second, ours, theirs = second, first, theirs, ours
        rows = []
        for at, truth in enumerate(ours):
            own = self.variables[first].values[at]
            cells = [
                FALSE if truth != other else TRUE if _single(own) and _single(value) else same
                for other, value in zip(theirs, self.variables[second].values, strict=True)
            ]
            rows.append(self.diagrams.node(second, tuple(cells)))
        node = self.diagrams.node(first, tuple(rows))
        return node if equal else self.diagrams.negated(node)

    # -- what values cost

    def coster(self, extra: Callable[[Variable, int], int] | None = None) -> Callable[[int, int], int]:
        """The cost of each value of each variable, and what `extra` adds to it."""
        costs: dict[tuple[int, int], int] = {}

        def cost(variable: int, value: int) -> int:
            known = costs.get((variable, value))
            if known is None:
                about = self.variables[variable]
                known = about.costs[value] + (extra(about, value) if extra is not None else 0)
                costs[variable, value] = known
            return known

        return cost


def unlinked(path: str) -> str:
    """The path with the links of a merged /usr taken out: /bin/x and /sbin/x are /usr/bin/x there."""
    for link in usual_links():
        if path.startswith(link + "/"):
            head = {"/sbin": "/usr/bin", "/usr/sbin": "/usr/bin", "/var/run": "/run", "/var/lock": "/run/lock"}
            return head.get(link, "/usr" + link if not link.startswith("/usr") else link) + path[len(link) :]
    return path


def _single(value: object) -> bool:
    """Whether an atom has one number only."""
    return isinstance(value, tuple) and len(value) == 1 and value[0].single is not None


def preferred(name: str, pieces: Sequence[Numbers]) -> int:
    """The most ordinary number of an atom."""
    for number in _USUAL.get(name, (0,)):
        if any(has(piece, number) for piece in pieces):
            return number
    small = [piece.must | _lowest_bits(piece) for piece in pieces]
    fitting = [number for number, piece in zip(small, pieces, strict=True) if has(piece, number)]
    return min(fitting or [member for piece in pieces if (member := piece.member()) is not None])


def _lowest_bits(piece: Numbers) -> int:
    """The lowest bit that each of the alternatives of a set allows."""
    number = 0
    for bits in piece.some:
        allowed = bits & ~piece.forbid
        number |= allowed & -allowed
    return number


def _cost_of(name: str, pieces: Sequence[Numbers]) -> int:
    usual = _USUAL.get(name, (0,))
    number = preferred(name, pieces)
    return usual.index(number) if number in usual else len(usual) + 1


def has(room: Numbers, number: int) -> bool:
    """Whether a number lies in a set."""
    return (
        any(low <= number <= high for low, high in room.intervals)
        and number & room.must == room.must
        and not number & room.forbid
        and all(number & bits for bits in room.some)
    )


def atoms(room: Numbers, asked: Sequence[Condition]) -> list[tuple[tuple[bool, ...], tuple[Numbers, ...]]]:
    """A set of numbers cut by conditions: for each pattern of answers that some number gives, the numbers that give it,
    as a union. Raises TooLarge."""
    if all(op not in ("&", "&=") for op, _ in asked):
        return _intervals(room, asked)
    parts: list[tuple[tuple[bool, ...], tuple[Numbers, ...]]] = [((), (room,))]
    for op, value in asked:
        cut: list[tuple[tuple[bool, ...], tuple[Numbers, ...]]] = []
        for truth, pieces in parts:
            yes = tuple(part for piece in pieces if (part := piece.given(op, value)))
            no = tuple(part for piece in pieces for part in piece.without(op, value) if part)
            if yes:
                cut.append(((*truth, True), yes))
            if no:
                cut.append(((*truth, False), no))
            if len(cut) > MOST_ATOMS or len(no) > MOST_ATOMS:
                raise TooLarge("too many conditions on the bits of one number")
        parts = cut
    return parts


def _intervals(room: Numbers, asked: Sequence[Condition]) -> list[tuple[tuple[bool, ...], tuple[Numbers, ...]]]:
    """The same for equality and order, by the places where an answer changes."""
    ends: set[int] = set()
    for _, value in asked:
        ends.update((value, value + 1))
    found: dict[tuple[bool, ...], list[tuple[int, int]]] = {}
    for low, high in room.intervals:
        starts = sorted({low, *(end for end in ends if low < end <= high)})
        for start, following in zip(starts, [*starts[1:], high + 1], strict=True):
            truth = tuple([compare(start, op, value) is True for op, value in asked])
            found.setdefault(truth, []).append((start, following - 1))
    return [(truth, (Numbers(tuple(pieces)),)) for truth, pieces in found.items()]
