"""What the conditions of a rule demand of one event, kind by kind, and whether any event can give it.

Every answer is exact or None (not known). The kinds follow audit_filter_rules(), kernel/auditsc.c, 6.1: numbers
of the task and call, the return value, groups, pairs of ids, the selection of (ABI, system call), path objects.
"""

from __future__ import annotations

from itertools import product

from auditlint.frozen import dataclass, field, replace
from auditlint.kernel import classes, labels
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.sets import NEGATED, Numbers, both, intersect
from auditlint.language import tables
from auditlint.language.model import PERM_W, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditlint.facts import Facts
    from auditlint.kernel.event import Maybe
    from auditlint.kernel.storage import Storage, Stored
    from auditlint.target import Target

_TASK_IDS = ("auid", "uid", "euid", "suid", "fsuid", "sgid", "fsgid")
_SINGLE = frozenset((*_TASK_IDS, "pid", "ppid", "pers", "a0", "a1", "a2", "a3", "msgtype", "sessionid", "saddr_fam"))
_OBJECT = frozenset(("inode", "obj_uid", "obj_gid", "devmajor", "devminor"))
_SUBJECT = frozenset(("subj_user", "subj_role", "subj_type", "subj_sen", "subj_clr"))
_OBJECT_LABELS = frozenset(("obj_user", "obj_role", "obj_type", "obj_lev_low", "obj_lev_high"))
_UNDEFINED_AT_FORK = _OBJECT | _OBJECT_LABELS | {"arch", "a0", "a1", "a2", "a3", "ppid", "exit", "success", "saddr_fam"}
_IDS = ((0, UNSET - 1),)
_DOMAINS = {
    **dict.fromkeys(("uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid"), Numbers(_IDS)),
    "pid": Numbers(((1, 1 << 22),)),
    "ppid": Numbers(((0, 1 << 22),)),
}
"""Tasks have no id 2^32-1 except an unset login id; process ids end at PID_MAX_LIMIT."""
_ANYTHING = Numbers()
_ERRORS = ((U32 - 4094, U32),)
_VALUE_TELLS_SUCCESS = frozenset((0x3E, 0x03, 0xB7, 0x28, 0xF3, 0x16))
"""ELF machine numbers whose kernels derive success from the return value: x86, arm, riscv, s390."""
_ALL_CALLS = (1 << 2032) - 1
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
    known = next((each for each in tables.machines().values() if each.name == target.machine), None)
    if known is not None:
        names = dict.fromkeys((known.name, known.b32 if known.b32 != "-" else known.name))
        return Universe(target, storage.facts, tuple(tables.machines()[name].elf for name in names))
    named = {
        each.value
        for stored in storage.rules
        for each in stored.rule.fields
        if each.name == "arch" and isinstance(each.value, int)
    }
    return Universe(target, storage.facts, (*sorted(named), U32))


@dataclass(frozen=True, slots=True)
class Meaning:
    """A conjunction of conditions, sorted by kind. `impossible` are numbers of fields that no event satisfies.

    `selection` gives the system calls by ABI. `outcome` are conditions on the return value, `groups` on gid
    and egid, `pairs` on two ids. `objects` are groups of conditions on path objects: those of a hashed rule
    speak of one object, others each of some object. `places` are texts of path, dir and inode. `opaque` are
    conditions compared as they stand (programs, labels).
    """

    stored: Stored
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
    places: frozenset[tuple[str, str]] = frozenset()
    opaque: tuple[Field, ...] = ()


def meaning(stored: Stored, world: Universe) -> Meaning:
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
        self.places: set[tuple[str, str]] = set()
        self.opaque: list[Field] = []
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
        elif each.name in _SUBJECT and labels.has_rule(each, self.world.facts.lsm) is False:
            # Without a rule of the security module the answer of the field before counts.
            if not self.answered:
                self.impossible.append(number)
        elif each.name == "gid":
            self._number("gid", each.op, _value(each), number)
        else:
            self._full(number, each)
        self.answered = True

    def _task(self, number: int, each: Field) -> None:
        if each.name in _UNDEFINED_AT_FORK or (each.name == "field_compare" and _with_object(each)):
            self.impossible.append(number)
        elif each.name in ("perm", "filetype", "exe"):
            # Not evaluated: false, so true with !=.
            if each.op == "=":
                self.impossible.append(number)
        else:
            self._full(number, each)

    def _full(self, number: int, each: Field) -> None:
        name, op = each.name, each.op
        if name == "key":
            return
        if name == "arch":
            self.archs = [arch for arch in self.archs if (arch == each.value) is (op == "=")]
            if not self.archs:
                self.impossible.append(number)
        elif name in _SINGLE:
            self._number(name, op, _value(each), number)
        elif name == "loginuid_set":
            wanted = [known for known in (0, 1) if _holds(known, op, _value(each))]
            if not wanted:
                self.impossible.append(number)
            elif wanted != [0, 1]:
                self._number("auid", "!=" if wanted == [1] else "=", UNSET, number)
        elif name in ("exit", "success"):
            self.outcome.append(each)
        elif name in ("gid", "egid"):
            self.groups.append(each)
        elif name == "field_compare":
            pair = tables.comparison_pairs().get(_value(each))
            if pair is None:
                self.impossible.append(number)
            elif _with_object(each):
                self.owners.append(each)
            else:
                self.pairs.append((pair[0], op, pair[1]))
        elif name == "perm":
            self.perms.append((_value(each), op == "="))
        elif name == "filetype":
            self.types.append(each)
        elif name in ("path", "dir") or (name == "inode" and op == "=" and self.stored.hashed):
            self.places.add((name, self.stored.path or str(each.value)))
        elif name in _OBJECT:
            self.objects.append(each)
        elif name in _OBJECT_LABELS or name in _SUBJECT:
            if labels.has_rule(each, self.world.facts.lsm) is False:
                self.impossible.append(number)
            self.opaque.append(each)
        elif name == "exe":
            self.opaque.append(each)
        else:
            self.impossible.append(number)

    def _number(self, name: str, op: str, value: int, number: int) -> None:
        old = self.numbers.get(name) or _DOMAINS.get(name, _ANYTHING)
        self.numbers[name] = old.given(op, value)

    def meaning(self) -> Meaning:
        selection = dict.fromkeys(self.archs, self.stored.mask & _ALL_CALLS)
        if self.list in ("exclude", "user", "filesystem", "task"):
            selection = {0: 1}
        if self.list in ("exclude", "user") and not self.stored.rule.fields:
            self.impossible.append(-1)
        if self.list == "filesystem" and self.stored.rule.get("fstype") is None:
            self.impossible.append(-1)
        objects = (tuple(self.objects),) if self.stored.hashed else tuple((each,) for each in self.objects)
        return Meaning(
            stored=self.stored,
            world=self.world,
            impossible=tuple(self.impossible),
            selection=selection,
            numbers=self.numbers,
            outcome=tuple(self.outcome),
            groups=tuple(self.groups),
            pairs=tuple(self.pairs),
            perms=tuple(self.perms),
            objects=tuple(group for group in objects if group),
            owners=tuple(self.owners),
            types=tuple(self.types),
            places=frozenset(self.places),
            opaque=tuple(self.opaque),
        )


def without_conditions(what: Meaning) -> Meaning:
    """The same list and system calls, and nothing asked of the event."""
    return Meaning(what.stored, what.world, selection=dict.fromkeys(what.selection, _ALL_CALLS))


def join(left: Meaning, right: Meaning) -> Meaning:
    """What both rules demand together; path objects of a hashed rule are its own."""
    numbers = {**left.numbers}
    for name, room in right.numbers.items():
        numbers[name] = both(numbers[name], room) if name in numbers else room
    return Meaning(
        stored=left.stored,
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
        places=left.places | right.places,
        opaque=left.opaque + right.opaque,
    )


def domain(name: str) -> Numbers:
    """All values that a number can have."""
    return _DOMAINS.get(name, _ANYTHING)


def _value(each: Field) -> int:
    return each.value if isinstance(each.value, int) else 0


def _with_object(each: Field) -> bool:
    pair = tables.comparison_pairs().get(_value(each))
    return pair is not None and pair[2]


def _holds(left: int, op: str, right: int) -> bool:
    return bool(Numbers(((left, left),)).given(op, right))


def every(answers: Iterable[Maybe]) -> Maybe:
    """False if one is false, None if one is not known, else True."""
    unknown = False
    for answer in answers:
        if answer is False:
            return False
        unknown |= answer is None
    return None if unknown else True


def satisfiable(what: Meaning) -> Maybe:
    """Whether some event meets all conditions: True, False, or None when it cannot be told."""
    if what.impossible:
        return False
    unknown = False
    for answer in _PARTS:
        found = answer(what)
        if found is False:
            return False
        unknown = unknown or found is None
    return None if unknown else True


def numbers_fit(what: Meaning) -> Maybe:
    """Numbers of the task and the call, and pairs of ids."""
    return all(what.numbers.values()) and _pairs_fit(what)


def _pairs_fit(what: Meaning) -> bool:
    """Whether ids can be chosen so that all `-C` pairs hold; equal ids are one, unequal ones need room.

    An id with more possible values than there are ids can always differ from the others.
    """
    if not what.pairs:
        return True
    groups = primary_groups(what)
    if groups is None:
        return False
    names = sorted({name for left, _, right in what.pairs for name in (left, right)})
    leader = {name: name for name in names}
    for left, op, right in what.pairs:
        if op == "=":
            old, new = leader[left], leader[right]
            leader = {name: new if at == old else at for name, at in leader.items()}
    room: dict[str, Numbers] = {}
    for name in names:
        own = groups.get(name) or what.numbers.get(name) or _DOMAINS.get(name, _ANYTHING)
        known = room.get(leader[name])
        room[leader[name]] = own if known is None else replace(own, intervals=intersect(own.intervals, known.intervals))
    unequal = [(leader[left], leader[right]) for left, op, right in what.pairs if op != "="]
    if any(left == right for left, right in unequal):
        return False
    values = {name: numbers.first(len(names) + 1) for name, numbers in room.items()}
    return _choose(sorted(values, key=lambda name: len(values[name])), values, unequal, {})


def _choose(
    names: list[str], values: Mapping[str, list[int]], unequal: list[tuple[str, str]], chosen: dict[str, int]
) -> bool:
    if not names:
        return True
    name, rest = names[0], names[1:]
    taken = {chosen[other] for pair in unequal if name in pair for other in pair if other != name and other in chosen}
    return any(_choose(rest, values, unequal, {**chosen, name: value}) for value in values[name] if value not in taken)


def primary_groups(what: Meaning) -> dict[str, Numbers] | None:
    """The primary groups that gid and egid conditions leave; None when they contradict each other.

    `=g`: the primary group or a supplementary one is g; `!=g`: neither is; order: the primary one. gid and
    egid share the supplementary groups.
    """
    forbidden = {_value(each) for each in what.groups if each.op == "!="}
    found: dict[str, Numbers] = {}
    if not what.groups:
        return {name: what.numbers.get(name, _DOMAINS["gid"]) for name in ("gid", "egid")}
    for name in ("gid", "egid"):
        room = what.numbers.get(name, _DOMAINS["gid"])
        for each in what.groups:
            if each.name != name:
                continue
            if each.op != "=":
                room = room.given(each.op, _value(each))
            elif _value(each) in forbidden:
                # No supplementary group can help: the primary one must be it.
                room = room.given("=", _value(each))
        if not room:
            return None
        found[name] = room
    return found


def groups_fit(what: Meaning) -> Maybe:
    return not what.groups or primary_groups(what) is not None


def outcomes(what: Meaning) -> tuple[Numbers | None, Numbers | None]:
    """The return values that conditions on exit and success leave: of calls that succeeded, and that failed.

    None: that outcome is excluded. Where success is derived from the value, failures are -4095..-1; a success
    can have any value once cut to 32 bits.
    """
    archs = [arch for arch, mask in what.selection.items() if mask]
    derived = all(arch & 0xFFFF in _VALUE_TELLS_SUCCESS for arch in archs) and what.stored.rule.list == "exit"
    good: Numbers | None = _ANYTHING
    bad: Numbers | None = Numbers(_ERRORS) if derived else _ANYTHING
    for each in what.outcome:
        if each.name == "exit":
            good = good and good.given(each.op, _value(each))
            bad = bad and bad.given(each.op, _value(each))
        else:
            wanted = 1 if _value(each) else 2
            good = good if _holds(1, each.op, wanted) else None
            bad = bad if _holds(2, each.op, wanted) else None
    return good or None, bad or None


def outcome_fits(what: Meaning) -> Maybe:
    return not what.outcome or any(outcomes(what))


def selection_fits(what: Meaning) -> Maybe:
    """Whether some (ABI, system call) of the mask belongs to all perm letters, arguments included."""
    unknown = False
    for arch, mask in what.selection.items():
        if not mask:
            continue
        if not what.perms:
            return True
        answer = _perms_fit(what, what.world.abi(arch), mask)
        if answer:
            return True
        unknown |= answer is None
    return None if unknown else False


def _perms_fit(what: Meaning, abi: classes.Abi, mask: int) -> Maybe:
    """Within one ABI: calls whose class decides, then those that their arguments decide."""
    by_argument = abi.open | abi.openat | abi.openat2 | abi.socketcall
    sure, maybe = mask & ~by_argument, mask & ~by_argument
    for letters, positive in what.perms:
        members, doubtful = abi.members(letters), abi.doubtful(letters) & ~abi.members(letters)
        if positive:
            sure, maybe = sure & members, maybe & (members | doubtful)
        else:
            sure, maybe = sure & ~members & ~doubtful, maybe & ~members
    if sure:
        return True
    for mode in range(4):
        granted = classes.access_mode(mode)
        if all(bool(letters & granted) is positive for letters, positive in what.perms):
            if mask & abi.openat2:
                return True
            for calls, name in ((abi.open, "a1"), (abi.openat, "a2")):
                room = what.numbers.get(name, _ANYTHING)
                if mask & calls and replace(room, must=room.must | mode, forbid=room.forbid | 3 & ~mode):
                    return True
    if mask & abi.socketcall:
        for binds in (True, False):
            room = what.numbers.get("a0", _ANYTHING).given("=" if binds else "!=", 2)
            if room and all(bool(letters & PERM_W and binds) is positive for letters, positive in what.perms):
                return True
    return None if maybe else False


def objects_fit(what: Meaning) -> Maybe:
    """Whether path objects can be as wanted: surely when one object can be all of it."""
    if not (what.objects or what.owners or what.types or what.places):
        return True
    for group in what.objects:
        if not one_object(group):
            return False
    wanted = {_value(each) for each in what.types if each.op == "="}
    if wanted & {_value(each) for each in what.types if each.op != "="}:
        return False
    together = tuple(each for group in what.objects for each in group)
    if len(what.places) > 1 or len(wanted) > 1 or not one_object(together) or len(what.owners) > 1:
        return None
    if what.owners and any(each.name in ("obj_uid", "obj_gid") for each in together):
        return None
    return True if _takes_paths(what) else None


def one_object(conditions: Iterable[Field]) -> bool:
    """Whether one path object can satisfy all of these conditions."""
    rooms: dict[str, Numbers] = {}
    devices: dict[str, list[Field]] = {}
    for each in conditions:
        if each.name in ("devmajor", "devminor"):
            devices.setdefault(each.name, []).append(each)
        else:
            rooms[each.name] = rooms.get(each.name, _ANYTHING).given(each.op, _value(each))
    return all(rooms.values()) and all(_device_fits(group) for group in devices.values())


def _device_fits(conditions: list[Field]) -> bool:
    """Each condition may be met by the number of the filesystem or by that of the object itself."""
    sets = [_ANYTHING.given(each.op, _value(each)) for each in conditions]
    if not all(sets):
        return False
    for split in product((True, False), repeat=min(len(sets), 10)):
        chosen = [split[at] if at < len(split) else True for at in range(len(sets))]
        both = []
        for side in (True, False):
            room = _ANYTHING
            for each, picked in zip(conditions, chosen, strict=True):
                if picked is side:
                    room = room.given(each.op, _value(each))
            both.append(bool(room))
        if all(both):
            return True
    return False


def _takes_paths(what: Meaning) -> bool:
    """Whether the selection has a call that surely collects a path object: open, create, change, execute."""
    if what.stored.rule.list != "exit":
        return False
    for arch, mask in what.selection.items():
        abi = what.world.abi(arch)
        if mask & (abi.dir_write | abi.attr | abi.open | abi.openat | abi.openat2 | abi.exec):
            return True
    return False


def opaque_fits(what: Meaning) -> Maybe:
    """Programs and labels: the same condition with = and != never holds; different values may."""
    seen = {(each.name, each.op, each.value) for each in what.opaque}
    unknown = False
    for each in what.opaque:
        if each.op in NEGATED and (each.name, NEGATED[each.op], each.value) in seen and each.op in ("=", "!="):
            if each.name not in _OBJECT_LABELS:
                return False
            unknown = True
        if each.name != "exe":
            unknown = True
        for other in what.opaque:
            if other.name == each.name and other.op == each.op == "=" and other.value != each.value:
                if each.name in _SUBJECT and _one_value(each, what.world.facts.lsm):
                    return False
                unknown = True
    return None if unknown else True


def _one_value(each: Field, lsm: str | None) -> bool:
    """Whether a task has a single value for the field: AppArmor labels can be stacked."""
    return each.name in ("subj_user", "subj_role", "subj_type") and lsm in ("selinux", "smack")


def calls_fit(what: Meaning) -> Maybe:
    """Conditions that only some calls can meet, of which there is no list here: an address family."""
    return None if "saddr_fam" in what.numbers else True


_PARTS = (
    numbers_fit,
    groups_fit,
    outcome_fits,
    selection_fits,
    objects_fit,
    opaque_fits,
    calls_fit,
)
