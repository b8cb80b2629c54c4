"""Whether any event can meet a conjunction of conditions: True, False, or None where it cannot be told."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product

from auditlint.auditctl.field_table import OBJECT_LABELS, SUBJECT_LABELS
from auditlint.auditctl.model import PERM_W, Field
from auditlint.core.frozen import replace
from auditlint.core.path_lookup import inside
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.constraints import Constraints, domain, holds, value_of
from auditlint.kernel.event import U32
from auditlint.kernel.sets import NEGATED, Numbers, intersect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditlint.kernel.event import Tristate

_ANYTHING = Numbers()
_ERRORS = ((U32 - 4094, U32),)
VALUE_TELLS_SUCCESS = frozenset((0x3E, 0x03, 0xB7, 0x28, 0xF3, 0x16))
"""ELF machine numbers whose kernels derive success from the return value: x86, arm, riscv, s390."""


def every(answers: Iterable[Tristate]) -> Tristate:
    """False if one is false, None if one is not known, else True."""
    unknown = False
    for answer in answers:
        if answer is False:
            return False
        unknown |= answer is None
    return None if unknown else True


def satisfiable(what: Constraints) -> Tristate:
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


def numbers_fit(what: Constraints) -> Tristate:
    """Numbers of the task and the call, and pairs of ids."""
    return all(what.numbers.values()) and _pairs_fit(what)


def _pairs_fit(what: Constraints) -> bool:
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
        own = groups.get(name) or what.numbers.get(name) or domain(name)
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


def primary_groups(what: Constraints) -> dict[str, Numbers] | None:
    """The primary groups that gid and egid conditions leave; None when they contradict each other.

    `=g`: the primary group or a supplementary one is g; `!=g`: neither is; order: the primary one. gid and
    egid share the supplementary groups.
    """
    forbidden = {value_of(each) for each in what.groups if each.op == "!="}
    found: dict[str, Numbers] = {}
    if not what.groups:
        return {name: what.numbers.get(name, domain("gid")) for name in ("gid", "egid")}
    for name in ("gid", "egid"):
        room = what.numbers.get(name, domain("gid"))
        for each in what.groups:
            if each.name != name:
                continue
            if each.op != "=":
                room = room.given(each.op, value_of(each))
            elif value_of(each) in forbidden:
                # No supplementary group can help: the primary one must be it.
                room = room.given("=", value_of(each))
        if not room:
            return None
        found[name] = room
    return found


def groups_fit(what: Constraints) -> Tristate:
    return not what.groups or primary_groups(what) is not None


def outcomes(what: Constraints) -> tuple[Numbers | None, Numbers | None]:
    """The return values that conditions on exit and success leave: of calls that succeeded, and that failed.

    None: that outcome is excluded. Where success is derived from the value, failures are -4095..-1; a success
    can have any value once cut to 32 bits.
    """
    archs = [arch for arch, mask in what.selection.items() if mask]
    derived = what.list == "exit" and all(arch & 0xFFFF in VALUE_TELLS_SUCCESS for arch in archs)
    return _outcomes(what.outcome, derived)


@lru_cache(maxsize=256)
def _outcomes(conditions: tuple[Field, ...], derived: bool) -> tuple[Numbers | None, Numbers | None]:
    """The same by the conditions, of which few differ in a file, and whether success is derived from the value."""
    good: Numbers | None = _ANYTHING
    bad: Numbers | None = Numbers(_ERRORS) if derived else _ANYTHING
    for each in conditions:
        if each.name == "exit":
            good = good and good.given(each.op, value_of(each))
            bad = bad and bad.given(each.op, value_of(each))
        else:
            wanted = 1 if value_of(each) else 2
            good = good if holds(1, each.op, wanted) else None
            bad = bad if holds(2, each.op, wanted) else None
    return good or None, bad or None


def outcome_fits(what: Constraints) -> Tristate:
    return not what.outcome or any(outcomes(what))


def selection_fits(what: Constraints) -> Tristate:
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


def _perms_fit(what: Constraints, abi: classes.Abi, mask: int) -> Tristate:
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


def objects_fit(what: Constraints) -> Tristate:
    """Whether path objects can be as wanted: surely when one object can be all of it."""
    if not (what.objects or what.owners or what.types or what.places):
        return True
    for group in what.objects:
        if not one_object(group):
            return False
    wanted = {value_of(each) for each in what.types if each.op == "="}
    if wanted & {value_of(each) for each in what.types if each.op != "="}:
        return False
    together = tuple(each for group in what.objects for each in group)
    if not _one_place(what.places) or len(wanted) > 1 or not one_object(together) or len(what.owners) > 1:
        return None
    if what.owners and any(each.name in ("obj_uid", "obj_gid") for each in together):
        return None
    return True if _takes_paths(what) else None


def _one_place(places: Iterable[tuple[str, str]]) -> bool:
    """Whether one object surely can be at all places: a file, and trees that hold it and one another."""
    trees = sorted((text for kind, text in places if kind == "dir"), key=len)
    files = [text for kind, text in places if kind != "dir"]
    if len(files) > 1 or any(kind == "inode" for kind, _ in places if trees):
        return False
    return all(inside(deeper, tree) for tree, deeper in pairwise((*trees, *files)))


def one_object(conditions: Iterable[Field]) -> bool:
    """Whether one path object can satisfy all of these conditions."""
    rooms: dict[str, Numbers] = {}
    devices: dict[str, list[Field]] = {}
    for each in conditions:
        if each.name in ("devmajor", "devminor"):
            devices.setdefault(each.name, []).append(each)
        else:
            rooms[each.name] = rooms.get(each.name, _ANYTHING).given(each.op, value_of(each))
    return all(rooms.values()) and all(_device_fits(group) for group in devices.values())


def _device_fits(conditions: list[Field]) -> bool:
    """Each condition may be met by the number of the filesystem or by that of the object itself."""
    sets = [_ANYTHING.given(each.op, value_of(each)) for each in conditions]
    if not all(sets):
        return False
    for split in product((True, False), repeat=min(len(sets), 10)):
        chosen = [split[at] if at < len(split) else True for at in range(len(sets))]
        both = []
        for side in (True, False):
            room = _ANYTHING
            for each, picked in zip(conditions, chosen, strict=True):
                if picked is side:
                    room = room.given(each.op, value_of(each))
            both.append(bool(room))
        if all(both):
            return True
    return False


def _takes_paths(what: Constraints) -> bool:
    """Whether the selection has a call that surely collects a path object: open, create, change, execute."""
    if what.list != "exit":
        return False
    for arch, mask in what.selection.items():
        abi = what.world.abi(arch)
        if mask & (abi.dir_write | abi.attr | abi.open | abi.openat | abi.openat2 | abi.exec):
            return True
    return False


def opaque_fits(what: Constraints) -> Tristate:
    """Programs and labels: the same condition with = and != never holds; different values may."""
    seen = {(each.name, each.op, each.value) for each in what.opaque}
    unknown = False
    for each in what.opaque:
        if each.op in NEGATED and (each.name, NEGATED[each.op], each.value) in seen and each.op in ("=", "!="):
            if each.name not in OBJECT_LABELS:
                return False
            unknown = True
        if each.name != "exe":
            unknown = True
        for other in what.opaque:
            if other.name == each.name and other.op == each.op == "=" and other.value != each.value:
                if each.name in SUBJECT_LABELS and _single_valued(each, what.world.facts.lsm):
                    return False
                unknown = True
    return None if unknown else True


def _single_valued(each: Field, lsm: str | None) -> bool:
    """Whether a task has a single value for the field: AppArmor labels can be stacked."""
    return each.name in ("subj_user", "subj_role", "subj_type") and lsm in ("selinux", "smack")


def named_fit(what: Constraints) -> Tristate:
    """Ids by the name of a user or group: only a condition and its opposite exclude each other for sure."""
    seen = {(each.name, each.op, each.value) for each in what.named}
    alone = True
    for at, each in enumerate(what.named):
        of_object = each.name in ("obj_uid", "obj_gid")
        if not of_object and (each.name, NEGATED.get(each.op), each.value) in seen:
            return False
        others = replace(what, named=what.named[:at] + what.named[at + 1 :])
        alone = alone and not of_object and each.op in ("=", "!=") and each.name not in restricted_ids(others)
    return alone or None


def restricted_ids(what: Constraints) -> frozenset[str]:
    """The ids that a condition is about; groups stand for both group ids, which share the supplementary groups."""
    names = {*what.numbers, *(each.name for each in (*what.groups, *what.named))}
    names.update(name for left, _, right in what.pairs for name in (left, right))
    if what.owners or what.objects:
        names.update(("obj_uid", "obj_gid"))
    if names & {"gid", "egid"}:
        names.update(("gid", "egid"))
    return frozenset(names)


def calls_fit(what: Constraints) -> Tristate:
    """Conditions that only some calls can meet, of which there is no list here: an address family."""
    return None if "saddr_fam" in what.numbers else True


_PARTS = (
    numbers_fit,
    groups_fit,
    outcome_fits,
    selection_fits,
    objects_fit,
    opaque_fits,
    named_fit,
    calls_fit,
)
