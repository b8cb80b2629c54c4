"""What the conditions of a rule demand of one event, kind by kind.

The kinds follow audit_filter_rules(), kernel/auditsc.c, 6.1: numbers of the task and call, the return value,
groups, pairs of ids, the selection of (ABI, system call), path objects.
"""

from __future__ import annotations

from functools import cache, lru_cache

from auditlint.auditctl import tables
from auditlint.auditctl.field_table import SUBJECT_LABELS, UNDEFINED, UNTESTED, field_facts, fields_tested_as
from auditlint.auditctl.model import Field
from auditlint.core.frozen import dataclass, field, replace
from auditlint.kernel import lsm as labels
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.abis import abis
from auditlint.kernel.acceptance import STORED_BITS
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.sets import Numbers, both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.kernel.storage import Storage, Stored

_PLACES = fields_tested_as("path", "dir")
_ANYTHING = Numbers()
WORKER_ARCH = 0
"""ABI number of io_uring work outside a system call."""


@dataclass(frozen=True, slots=True)
class Universe:
    """What events can be like on the target: its ABIs with their class tables, and the facts."""

    target: Target
    facts: Facts
    archs: tuple[int, ...]

    def abi(self, arch: int) -> classes.Abi:
        return classes.tables(self.target).abi(arch)


def universe(storage: Storage) -> Universe:
    """The events that a target can have; an unknown machine has the ABIs that the rules name, and one more."""
    target = storage.target
    known = abis(target)
    if known:
        return Universe(target, storage.facts, tuple([abi.elf for abi in known]))
    named = {
        each.value
        for stored in storage.rules
        for each in stored.rule.fields
        if each.name == "arch" and isinstance(each.value, int)
    }
    return Universe(target, storage.facts, (*sorted(named), U32))


@dataclass(frozen=True, slots=True)
class Constraints:
    """A conjunction of the conditions of a rule on `list`, by kind. `impossible` are numbers of fields that no event
    satisfies.

    `selection` gives the system calls by ABI, without those that perm rules out. `outcome` are conditions on the
    return value, `groups` on gid and egid, `pairs` on two ids. `objects` are groups of conditions on path objects:
    those of a hashed rule speak of one object, others each of some object. `places` are texts of path, dir and inode.
    `opaque` are conditions compared as they stand (programs, labels); so are `named`, ids by a user or group of which
    the number is not known.
    """

    list: str
    world: Universe
    impossible: tuple[int, ...] = ()
    selection: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    outcome: tuple[Field, ...] = ()
    groups: tuple[Field, ...] = ()
    pairs: tuple[tuple[str, str, str], ...] = ()
    perms: tuple[tuple[int, bool], ...] = ()
    objects: tuple[tuple[Field, ...], ...] = ()
    owners: tuple[Field, ...] = ()
    types: tuple[Field, ...] = ()
    places: tuple[tuple[str, str], ...] = ()
    opaque: tuple[Field, ...] = ()
    named: tuple[Field, ...] = ()


def meaning(stored: Stored, world: Universe) -> Constraints:
    """The conditions of a rule by kind."""
    made = _Maker(stored, world)
    for number, each in enumerate(stored.rule.fields):
        made.add(number, each)
    return made.meaning()


class _Maker:
    """Collects conditions; one method a kind."""

    def __init__(self, stored: Stored, world: Universe) -> None:
        self.stored, self.world = stored, world
        self.list = stored.rule.list
        self.impossible: list[int] = []
        self.archs = [*world.archs, *((WORKER_ARCH,) if self.list == "io_uring" else ())]
        self.numbers: dict[str, Numbers] = {}
        self.outcome: list[Field] = []
        self.groups: list[Field] = []
        self.pairs: list[tuple[str, str, str]] = []
        self.perms: list[tuple[int, bool]] = []
        self.objects: list[Field] = []
        self.owners: list[Field] = []
        self.types: list[Field] = []
        self.places: list[tuple[str, str]] = []
        self.opaque: list[Field] = []
        self.named: list[Field] = []
        self.answered = False

    def add(self, number: int, each: Field) -> None:
        if self.list in ("exclude", "user"):
            self._simple_filter(number, each)
        elif self.list == "task":
            self._task(number, each)
        elif self.list != "filesystem":
            self._full(number, each)

    def _simple_filter(self, number: int, each: Field) -> None:
        """A field that this filter does not know ends the whole walk: the rule never takes effect."""
        if each.name not in KNOWN_FIELDS:
            self.impossible.append(number)
        elif each.name in SUBJECT_LABELS and labels.has_rule(each, self.world.facts.lsm) is False:
            # Without a rule of the security module the answer of the field before counts.
            if not self.answered:
                self.impossible.append(number)
        elif each.name == "gid" and not each.by_name:
            self._number("gid", each.op, value_of(each))
        else:
            self._full(number, each)
        self.answered = True

    def _task(self, number: int, field: Field) -> None:
        fork = field_facts()[field.name].fork
        if fork == UNDEFINED or (field.name == "field_compare" and _with_object(field)):
            self.impossible.append(number)
        elif fork == UNTESTED:
            # False, so true with !=.
            if field.op == "=":
                self.impossible.append(number)
        else:
            self._full(number, field)

    def _full(self, number: int, field: Field) -> None:
        if field.name == "key":
            return
        if field.by_name:
            self.named.append(field)
        else:
            COLLECTORS[field_facts()[field.name].test](self, number, field)

    def _abi(self, number: int, field: Field) -> None:
        self.archs = [arch for arch in self.archs if (arch == field.value) is (field.op == "=")]
        if not self.archs:
            self.impossible.append(number)

    def _single(self, number: int, field: Field) -> None:
        self._number(field.name, field.op, value_of(field))

    def _login_set(self, number: int, field: Field) -> None:
        wanted = [state for state in (0, 1) if holds(state, field.op, value_of(field))]
        if not wanted:
            self.impossible.append(number)
        elif wanted != [0, 1]:
            self._number("auid", "!=" if wanted == [1] else "=", UNSET)

    def _outcome(self, number: int, field: Field) -> None:
        self.outcome.append(field)

    def _group(self, number: int, field: Field) -> None:
        self.groups.append(field)

    def _pair(self, number: int, field: Field) -> None:
        pair = tables.comparison_pairs().get(value_of(field))
        if pair is None:
            self.impossible.append(number)
        elif _with_object(field):
            self.owners.append(field)
        else:
            self.pairs.append((pair[0], field.op, pair[1]))

    def _perm(self, number: int, field: Field) -> None:
        self.perms.append((value_of(field), field.op == "="))

    def _file_type(self, number: int, field: Field) -> None:
        self.types.append(field)

    def _place(self, number: int, field: Field) -> None:
        self.places.append((field.name, self.stored.path or str(field.value)))

    def _inode(self, number: int, field: Field) -> None:
        if field.op == "=" and self.stored.hashed:
            self._place(number, field)
        else:
            self._object(number, field)

    def _object(self, number: int, field: Field) -> None:
        self.objects.append(field)

    def _label(self, number: int, field: Field) -> None:
        if labels.has_rule(field, self.world.facts.lsm) is False:
            self.impossible.append(number)
        self.opaque.append(field)

    def _program(self, number: int, field: Field) -> None:
        self.opaque.append(field)

    def _anything(self, number: int, field: Field) -> None:
        """A condition that every event meets."""

    def _nothing(self, number: int, field: Field) -> None:
        """A field that the filters of system calls do not know."""
        self.impossible.append(number)

    def _number(self, name: str, op: str, value: int) -> None:
        old = self.numbers.get(name)
        if old is None:  # not when it is empty already
            old = domain(name)
        self.numbers[name] = old.given(op, value)

    def meaning(self) -> Constraints:
        selection: Mapping[int, int] = {0: 1}
        if self.list in ("exit", "io_uring"):
            letters = tuple(letters for letters, positive in self.perms if positive and self.list == "exit")
            selection = _selection(self.world.target, tuple(self.archs), self.stored.mask & STORED_BITS, letters)
        if self.list in ("exclude", "user") and not self.stored.rule.fields:
            self.impossible.append(-1)
        if self.list == "filesystem" and self.stored.rule.get("fstype") is None:
            self.impossible.append(-1)
        objects = (tuple(self.objects),) if self.stored.hashed else tuple((each,) for each in self.objects)
        return Constraints(
            list=self.list,
            world=self.world,
            impossible=tuple(self.impossible),
            selection=selection,
            # A condition that every number meets is none; an address need not be there at all.
            numbers={name: room for name, room in self.numbers.items() if room != domain(name) or name == "saddr_fam"},
            outcome=tuple(self.outcome),
            groups=tuple(self.groups),
            pairs=tuple(self.pairs),
            perms=tuple(self.perms),
            objects=tuple(group for group in objects if group),
            owners=tuple(self.owners),
            types=tuple(self.types),
            places=tuple(dict.fromkeys(self.places)),
            opaque=tuple(self.opaque),
            named=tuple(self.named),
        )


COLLECTORS = {
    **dict.fromkeys(
        ("id", "process", "parent", "personality", "argument", "record-type", "session", "family"), _Maker._single
    ),
    "abi": _Maker._abi,
    "login-set": _Maker._login_set,
    **dict.fromkeys(("exit", "success"), _Maker._outcome),
    "group": _Maker._group,
    "pair": _Maker._pair,
    "perm": _Maker._perm,
    "file-type": _Maker._file_type,
    **dict.fromkeys(("path", "dir"), _Maker._place),
    "inode": _Maker._inode,
    **dict.fromkeys(("owner", "device"), _Maker._object),
    **dict.fromkeys(("subject-label", "object-label"), _Maker._label),
    "program": _Maker._program,
    "key": _Maker._anything,
    "filesystem": _Maker._nothing,
}
"""By the column `test` of `rulesets/fields.tsv`."""


@lru_cache(maxsize=1024)
def _selection(target: Target, archs: tuple[int, ...], mask: int, letters: tuple[int, ...]) -> Mapping[int, int]:
    """The system calls of a mask by ABI, as far as they belong to all these perm letters. Few differ in a file."""
    selection = dict.fromkeys(archs, mask)
    for perm in letters:
        for arch in archs:
            abi = classes.tables(target).abi(arch)
            selection[arch] &= abi.members(perm) | abi.doubtful(perm)
    return selection


def shape(stored: Stored) -> tuple[object, ...]:
    """Equal for rules that differ at most in key, in the text of a path or dir field, and in action."""
    fields = tuple(
        (each.name,) if each.name in _PLACES else (each.name, each.op, each.value)
        for each in stored.rule.fields
        if each.name != "key"
    )
    return stored.rule.list, stored.place, stored.mask, fields


def same_shape(known: Constraints, stored: Stored) -> Constraints:
    """The conditions of another rule of the same shape."""
    places = tuple([(each.name, stored.path or str(each.value)) for each in stored.rule.fields if each.name in _PLACES])
    return replace(known, places=tuple(dict.fromkeys(places))) if places else known


def without_conditions(what: Constraints) -> Constraints:
    """The same list and system calls, and nothing asked of the event."""
    return Constraints(what.list, what.world, selection=dict.fromkeys(what.selection, STORED_BITS))


def join(left: Constraints, right: Constraints) -> Constraints:
    """What both rules demand together; path objects of a hashed rule are its own."""
    numbers = {**left.numbers}
    for name, room in right.numbers.items():
        numbers[name] = both(numbers[name], room) if name in numbers else room
    return Constraints(
        list=left.list,
        world=left.world,
        impossible=left.impossible + right.impossible,
        selection={arch: mask & right.selection.get(arch, 0) for arch, mask in left.selection.items()},
        numbers=numbers,
        outcome=left.outcome + right.outcome,
        groups=left.groups + right.groups,
        pairs=left.pairs + right.pairs,
        perms=left.perms + right.perms,
        objects=left.objects + right.objects,
        owners=left.owners + right.owners,
        types=left.types + right.types,
        places=tuple(dict.fromkeys((*left.places, *right.places))),
        opaque=left.opaque + right.opaque,
        named=left.named + right.named,
    )


@cache
def domain(name: str) -> Numbers:
    """All values that a number can have."""
    bounds = field_facts()[name].domain
    return _ANYTHING if bounds is None else Numbers((bounds,))


def value_of(each: Field) -> int:
    return each.value if isinstance(each.value, int) else 0


def _with_object(each: Field) -> bool:
    pair = tables.comparison_pairs().get(value_of(each))
    return pair is not None and pair[2]


def holds(left: int, op: str, right: int) -> bool:
    return bool(Numbers(((left, left),)).given(op, right))
