"""What rule sets ask of an event: events that agree in it get the same decision, so it is made only once.

The fields that the rules for a system call test, the places in the file tree that they name, and the letters of an open
are all that a decision depends on (kernel/evaluate.py). A place that no rule, link or mount names decides as any other
with the same nearest place that one does name.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter

from auditlint.auditctl.tables import comparison_pairs, kernel_call_names, machine_of_elf
from auditlint.core.data import rows
from auditlint.core.path_lookup import resolve
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.eval_context import S_IFMT
from auditlint.kernel.storage import in_mask
from auditlint.logs import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from auditlint.kernel.event import PathObject
    from auditlint.kernel.storage import Storage, Stored

_ALWAYS = (records.ARCH, records.CALL, records.SUCCESS, records.IDS, records.COMM, records.EXE, records.KEY)
_GROUP_OF = {
    "pid": records.PID,
    "ppid": records.PPID,
    "sessionid": records.SES,
    "pers": records.PERS,
    "exit": records.EXIT,
    "a0": records.A0,
    "a1": records.A1,
    "a2": records.A2,
    "a3": records.A3,
    **dict.fromkeys(("subj_user", "subj_role", "subj_type", "subj_sen", "subj_clr"), records.SUBJ),
}
_OBJECT_FIELDS = frozenset(
    (
        *("path", "dir", "inode", "filetype", "obj_uid", "obj_gid", "devmajor", "devminor", "fstype"),
        *("obj_user", "obj_role", "obj_type", "obj_lev_low", "obj_lev_high"),
    )
)
_AT_FDCWD = 0xFFFFFF9C


class CallPlan:
    """What is asked of a system call: `getter` takes it from the fields of the SYSCALL record, `flags` is the argument
    with the open flags (-1: none asks), `objects` and `family` say whether path objects and addresses count."""

    __slots__ = ("descriptors", "family", "flags", "getter", "name", "objects")

    def __init__(
        self,
        getter: Callable[[records.Groups], tuple[bytes | None, ...]],
        flags: int,
        objects: bool,
        family: bool,
        descriptors: tuple[int, ...],
        name: str,
    ) -> None:
        self.getter = getter
        self.flags = flags
        self.objects = objects
        self.family = family
        self.descriptors = descriptors
        self.name = name


class Projection:
    """What one or several rule sets ask, together."""

    def __init__(self, storages: Iterable[Storage]) -> None:
        self._storages = tuple(storages)
        first = self._storages[0]
        self._target, self._facts = first.target, first.facts
        self._plans: dict[tuple[bytes | None, bytes | None], CallPlan] = {}
        every = [stored for storage in self._storages for stored in storage.rules]
        names = {field.name for stored in every for field in stored.rule.fields}
        facts = self._facts
        self._inodes = bool(facts.inodes) or "inode" in names
        self._owners = bool(names & {"obj_uid", "obj_gid"}) or any(_compares_owner(stored) for stored in every)
        self._devices = bool(names & {"devmajor", "devminor"})
        self._labels = any(name.startswith("obj_") for name in names - {"obj_uid", "obj_gid"})
        self.points = self._points(every)
        """All places that rules, inode numbers or mounts name, and the directories above them."""

    def _points(self, every: Iterable[Stored]) -> frozenset[str]:
        facts = self._facts
        places = {"/", *facts.inodes, *facts.mounts}
        for stored in every:
            for field in stored.rule.fields:
                if field.name in ("path", "dir", "exe") and isinstance(field.value, str):
                    places.add(field.value)
                    places.add(resolve(field.value, facts, follow=False))
                    places.add(resolve(field.value, facts, follow=True))
        found: set[str] = set()
        for place in places:
            while place and place not in found:
                found.add(place)
                place = place.rpartition("/")[0]
        found.add("/")
        return frozenset(found)

    def place(self, path: str) -> str:
        """The path if a rule names it or something below it, else the nearest such directory above it with a star."""
        points = self.points
        if path in points:
            return path
        while path:
            path = path.rpartition("/")[0]
            if path in points:
                return path + "/*"
        return "/*"

    def path_key(self, thing: PathObject) -> tuple[object, ...]:
        """What a decision may depend on in a path object whose place is known."""
        mode = thing.mode
        if mode is None:
            return (thing.type, None, self._named(thing.name))
        kind = mode & S_IFMT
        parts: list[object] = [thing.type, kind]
        if thing.file is not None:
            parts.append(self._named(thing.file))
        parts.append(self._named(thing.name, kind))
        if kind in (0o020000, 0o060000) or self._devices:
            parts += (thing.dev, thing.rdev)
        if self._inodes:
            parts += (thing.inode, thing.dev)
        if self._owners:
            parts += (thing.ouid, thing.ogid)
        if self._labels:
            parts.append(thing.label)
        return tuple(parts)

    def _named(self, name: str | None, kind: int = 0) -> object:
        if name is None or not name.startswith("/"):
            return name
        place = self.place(resolve(name, self._facts, follow=False))
        if not self._facts.symlinks or kind == 0o120000:
            return place
        followed = self.place(resolve(name, self._facts, follow=True))
        return place if followed == place else (place, followed)

    def plan(self, arch: bytes | None, number: bytes | None) -> CallPlan:
        """What is asked of a system call, by the words of its record."""
        found = self._plans.get((arch, number))
        if found is None:
            if len(self._plans) > 4096:
                self._plans.clear()
            found = self._plans[arch, number] = self._make(int(arch or b"0", 16), int(number or b"0"))
        return found

    def _make(self, arch: int, number: int) -> CallPlan:
        asked: set[str] = set()
        for storage in self._storages:
            rules = [*storage.task, *storage.exclude, *storage.filesystem, *storage.exit_rules(number)]
            rules += [stored for stored in storage.hashed if in_mask(stored, number)]
            for stored in rules:
                asked.update(field.name for field in stored.rule.fields)
                if _compares_owner(stored):
                    asked.add("obj_uid")
                if stored.path is not None:
                    asked.add("path")
        abi = classes.tables(self._target).abi(arch)
        changes = 0 <= number < 2048 and abi.dir_write >> number & 1 and len(self.points) > 1
        groups = sorted({*_ALWAYS, *(_GROUP_OF[name] for name in asked if name in _GROUP_OF)})
        flags = -1
        if "perm" in asked and 0 <= number < 2048:
            bit = 1 << number
            for members, argument in ((abi.open, records.A1), (abi.openat, records.A2), (abi.socketcall, records.A0)):
                if bit & members:
                    flags = argument
        name = call_name(arch, number, self._target.auditctl)
        return CallPlan(
            itemgetter(*groups),
            flags,
            bool(changes or asked & _OBJECT_FIELDS),
            "saddr_fam" in asked,
            descriptor_arguments().get(name, ()),
            name,
        )


def _compares_owner(stored: Stored) -> bool:
    return any(
        field.name == "field_compare"
        and isinstance(field.value, int)
        and comparison_pairs().get(field.value, ("", ""))[1].startswith("obj_")
        for field in stored.rule.fields
    )


@lru_cache(maxsize=1)
def descriptor_arguments() -> dict[str, tuple[int, ...]]:
    """For system calls that take directory descriptors, the arguments that hold them."""
    return {name: tuple(map(int, cells.split(","))) for name, cells in rows("directory-descriptors.tsv")}


@lru_cache(maxsize=4096)
def call_name(arch: int, number: int, auditctl: str) -> str:
    """The name of a system call, or its number as text when the ABI or the number is not known."""
    machine = machine_of_elf(arch, auditctl)
    name = kernel_call_names(machine.name).get(number) if machine is not None else None
    return name if name is not None else str(number)


def at_working_directory(plan: CallPlan, groups: records.Groups) -> bool:
    """Whether the relative names of a call start at the working directory of its CWD record."""
    for argument in plan.descriptors:
        value = records.number_of(groups[records.A0 + argument], 16)
        if value != _AT_FDCWD:
            return False
    return True
