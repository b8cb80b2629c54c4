"""The lists that decide once a process, a record or a file system: task, exclude, user, filesystem.

Task: what a process is at the fork decides for all its calls (audit_filter_task()). Exclude and user: a small filter
over record types (audit_filter(), kernel/auditfilter.c): a field that it does not know ends the walk. Filesystem: any
condition of a `never` rule hides the path objects of a file system (__audit_inode()).
"""

from __future__ import annotations

from itertools import islice

from auditlint.auditctl.tables import record_names
from auditlint.compare.diagram import FALSE, Diagrams, Product, leaf
from auditlint.compare.dimensions import Space, atoms, preferred
from auditlint.compare.literals import CallClass, Side, conditions, task_conditions
from auditlint.core.frozen import replace
from auditlint.kernel import lsm
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.fields import compare
from auditlint.kernel.sets import Numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from auditlint.auditctl.model import Field
    from auditlint.compare.diagram import Node, Path
    from auditlint.compare.literals import Conditions
    from auditlint.kernel.storage import Storage, Stored

_SUBJECT = ("subj_user", "subj_role", "subj_type", "subj_sen", "subj_clr")
_NO_CALL = CallClass(0, 0, 1, 0)


def simple_rows(rules: Iterable[Stored], side: Side, kind: int) -> tuple[tuple[Conditions, bool], ...]:
    """For records of one type: the ends of the walk over an exclude list in order, each with its conditions and whether
    the record is dropped there."""
    rows: list[tuple[Conditions, bool]] = []
    for stored in rules:
        literals: set[tuple[object, ...]] = set()
        end: bool | None = True
        answered = False
        for field in stored.rule.fields:
            if field.name not in KNOWN_FIELDS:
                end = False
                break
            value = field.value if isinstance(field.value, int) else 0
            if field.name == "msgtype":
                if compare(kind, field.op, value) is not True:
                    end = None
                    break
            elif field.name == "gid" and not field.by_name:
                literals.add(("number", "gid", field.op, value))
            elif field.name in _SUBJECT and lsm.has_rule(field, side.facts.lsm) is False:
                if not answered:  # the answer of the field before counts, and there is none
                    end = None
                    break
            elif field.name in _SUBJECT and side.facts.lsm is None:
                literals.add(("flag", ("label", field.name, field.op, field.value), True))
            else:
                one = conditions(_with(stored, (field,)), _NO_CALL, side)
                if one is None:
                    end = None
                    break
                literals.update(one)
            answered = True
        if end is None or (end and not stored.rule.fields):
            continue
        rows.append((frozenset(literals), end))
    return tuple(rows)


def _with(stored: Stored, fields: tuple[Field, ...]) -> Stored:
    return replace(stored, rule=replace(stored.rule, fields=fields))


def user_rows(rules: Iterable[Stored], side: Side, kind: int) -> tuple[tuple[Conditions, bool], ...]:
    """The same for the user list, where only a `never` rule drops a message."""
    return tuple(
        (literals, ends and action == "never")
        for stored in rules
        for action in (stored.rule.action,)
        for literals, ends in simple_rows((stored,), side, kind)
    )


def record_kinds(a: Iterable[Stored], b: Iterable[Stored], numbers: Iterable[int]) -> list[tuple[int, ...]]:
    """Record types put together that the msgtype conditions of both sides see alike."""
    asked = [
        (field.op, field.value)
        for stored in (*a, *b)
        for field in stored.rule.fields
        if field.name == "msgtype" and isinstance(field.value, int)
    ]
    alike: dict[tuple[bool, ...], list[int]] = {}
    for number in numbers:
        alike.setdefault(tuple(compare(number, op, value) is True for op, value in asked), []).append(number)
    return [tuple(group) for group in alike.values()]


class Walks:
    """Two walks over a small list as diagrams with the same variables."""

    def __init__(self, rows: tuple[Sequence[tuple[Conditions, int]], Sequence[tuple[Conditions, int]]]) -> None:
        self.diagrams = Diagrams()
        self.space = Space(self.diagrams, _NO_CALL, [literals for side in rows for literals, _ in side], ())
        self.nodes = (self._walk(rows[0]), self._walk(rows[1]))

    def _walk(self, rows: Sequence[tuple[Conditions, int]]) -> Node:
        node = leaf(0)
        for literals, end in reversed(rows):
            node = self.diagrams.choose(self.space.condition(literals), leaf(end), node)
        return node

    def pairs(self, wanted: Callable[[int, int], bool]) -> list[tuple[tuple[int, int], list[Path]]]:
        """The pairs of ends that are wanted, each with its most ordinary values. Equal nodes are looked into, too."""
        product = Product(self.diagrams, wanted, self.space.coster())
        found = []
        for pair in product.pairs(*self.nodes):
            found.append((pair, [path for _, path in islice(product.paths(*self.nodes, pair), 8)]))
        return found

    def agreeing(self, end: int) -> list[Path]:
        """Values with which both walks end so."""
        both = self.diagrams.both(
            *(self.diagrams.mapped(node, lambda number: int(number == end)) for node in self.nodes)
        )
        product = Product(self.diagrams, lambda one, two: one != two, self.space.coster())
        return [path for _, path in islice(product.paths(both, FALSE, (1, 0)), 8)]


class TaskEnds:
    """How the task list may end, numbered; 0 is "no rule"."""

    def __init__(self, a: Storage, b: Storage, keys: bool) -> None:
        self.names: list[tuple[str, str | None]] = [("none", None)]
        sides = []
        for storage in (a, b):
            side = Side(storage.target, storage.facts)
            rows = []
            for stored in storage.task:
                literals = task_conditions(stored, side)
                if literals is None:
                    continue
                key = stored.rule.key if stored.rule.action == "always" and keys else None
                name = (stored.rule.action, key)
                if name not in self.names:
                    self.names.append(name)
                rows.append((literals, self.names.index(name)))
            sides.append(rows)
        self.walks = Walks((sides[0], sides[1]))


def hidden_types(storage: Storage) -> list[tuple[str, int]]:
    """The conditions on file systems of which one is enough to hide a path object."""
    return [
        (field.op, field.value)
        for stored in storage.filesystem
        if stored.rule.action == "never"
        for field in stored.rule.fields
        if field.name == "fstype" and isinstance(field.value, int)
    ]


def differing_types(a: Storage, b: Storage) -> list[tuple[int, bool]]:
    """File systems, by magic number, that one side hides and the other does not, and whether B hides it."""
    ours, theirs = hidden_types(a), hidden_types(b)
    found = []
    for _, pieces in atoms(Numbers(), [*ours, *theirs]):
        magic = preferred("fstype", pieces)
        hidden = [any(compare(magic, op, value) is True for op, value in side) for side in (ours, theirs)]
        if hidden[0] is not hidden[1]:
            found.append((magic, hidden[1]))
    return found


def record_name(number: int) -> str:
    """The name of a record type."""
    return record_names().get(number, f"UNKNOWN[{number}]")
