"""What a filter looks at: the event, its path objects placed in the file tree, and who asks."""

from __future__ import annotations

from auditlint.core.frozen import dataclass
from auditlint.core.path_lookup import inside, resolve
from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.event import ANY, UNSET, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.kernel.event import Event, Ids, Number, PathObject, Tristate
    from auditlint.kernel.storage import Stored

S_IFMT = 0o170000
_S_IFLNK = 0o120000
_DEVICE_NODES = (0o020000, 0o060000)


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path object with what the facts add to it.

    `path` is the place of the object itself, None when it cannot be told; `lookup_path` the path by which it was
    reached, links resolved, which is what a `dir` rule judges. `exists` is False for a bare name: inode
    all ones, owner and group 0, devices 0:0. `aliases` are all known paths of its inode.
    """

    object: PathObject
    exists: bool
    path: str | None
    lookup_path: str | None
    inode: int | None
    dev: tuple[int, int] | None
    rdev: tuple[int, int] | None
    uid: Number
    gid: Number

    @property
    def mode(self) -> int | None:
        return self.object.mode if self.exists else None


def see(thing: PathObject, facts: Facts) -> ResolvedPath:
    """Place a path object: from its own data first, then from the facts."""
    if thing.mode is None:
        return bare(thing)
    is_link = thing.mode & S_IFMT == _S_IFLNK
    absolute = thing.name is not None and thing.name.startswith("/")
    named = resolve(thing.name, facts, follow=not is_link) if absolute and thing.name is not None else None
    path = resolve(thing.file, facts, follow=False) if thing.file is not None else named
    inode = thing.inode
    if inode is None and path is not None:
        inode = facts.inodes.get(path)
    dev = thing.dev
    if dev is None and path is not None and facts.mounts:
        dev = device_at(path, facts)
    rdev = thing.rdev
    if rdev is None and thing.mode & S_IFMT not in _DEVICE_NODES:
        rdev = (0, 0)
    return ResolvedPath(thing, True, path, named or path, inode, dev, rdev, thing.ouid, thing.ogid)


def bare(thing: PathObject) -> ResolvedPath:
    """The object of a failed look-up, or one that the filesystem list withholds: only a name."""
    return ResolvedPath(thing, False, None, None, UNSET, (0, 0), (0, 0), 0, 0)


def device_at(path: str, facts: Facts) -> tuple[int, int] | None:
    """Major and minor of the filesystem that the mounts of the facts put at a path."""
    at = max((place for place in facts.mounts if inside(path, place)), key=len, default=None)
    text = facts.mounts[at].dev if at is not None else None
    if text is None:
        return None
    major, _, minor = text.partition(":")
    return int(major), int(minor)


def fstype_of(thing: PathObject, seen: ResolvedPath, facts: Facts) -> int | None:
    """Magic number of the filesystem that holds the object, None when not known."""
    if thing.fstype is not None:
        return thing.fstype
    path = seen.path
    if path is None:
        return next(iter(facts.mounts.values())).fstype if len(facts.mounts) == 1 and "/" in facts.mounts else None
    at = max((place for place in facts.mounts if inside(path, place)), key=len, default=None)
    return facts.mounts[at].fstype if at is not None else None


class EvalContext:
    """One pass of the filters over one event.

    `objects` are the path objects as this pass sees them, None when not known. `outcome` is the return
    value as this pass sees it: undefined while a name is being removed. `gone` are the numbers (`index`) of
    path rules whose name the call itself has removed: they match nothing. `bound` gives for path rules
    whose name the call has made the objects that they stand for now.
    """

    __slots__ = (
        "abi",
        "bound",
        "event",
        "facts",
        "family",
        "gone",
        "groups",
        "ids",
        "objects",
        "on_task",
        "outcome",
        "pers",
        "pid",
        "session",
        "target",
    )

    def __init__(self, event: Event, target: Target, facts: Facts, objects: tuple[ResolvedPath, ...] | None) -> None:
        self.event = event
        self.target = target
        self.facts = facts
        self.objects = objects
        self.outcome: Outcome = event.outcome
        self.abi = classes.tables(target).abi(event.arch) if event.arch is not None else None
        self.gone: frozenset[int] = frozenset()
        self.bound: dict[int, tuple[ResolvedPath, ...]] = {}
        self.on_task = False
        self.ids: Ids = event.ids
        self.groups = event.groups
        self.pid: Number = event.pid
        self.pers: Number = event.pers
        self.session: Number = event.session
        self.family = _family(event, target)

    def watches(self, stored: Stored, seen: ResolvedPath) -> Tristate:
        """Whether a `path` rule stands for the object: same inode and device, else same path.

        audit_watch_compare(), kernel/audit_watch.c: a watch without inode matches nothing.
        """
        path = stored.path
        if path is None or not seen.exists or stored.index in self.gone:
            return False
        inode, dev = stored.inode, None
        made = self.bound.get(stored.index)
        if made is not None:
            if any(seen is each for each in made):
                return True
            inode, dev, path = made[0].inode, made[0].dev, made[0].path or path
        if inode is not None and seen.inode is not None:
            if inode != seen.inode:
                return False
            if dev is None and self.facts.mounts:
                dev = device_at(path, self.facts)
            return dev is None or seen.dev is None or dev == seen.dev
        if seen.path is None:
            return None
        return seen.path == path

    def in_tree(self, stored: Stored) -> Tristate:
        """Whether some path object was reached through the tree of a `dir` rule (match_tree_refs())."""
        if self.objects is None:
            return None
        if stored.path is None:
            return False
        unknown = False
        for seen in self.objects:
            if seen.exists:
                if seen.lookup_path is None:
                    unknown = True
                elif inside(seen.lookup_path, stored.path):
                    return True
        return None if unknown else False


def _family(event: Event, target: Target) -> Number | None:
    """Address family that `saddr_fam` sees; before 5.16 that of an earlier call stays (measured on 5.10)."""
    if event.family is None and not target.kernel_at_least("5.16"):
        return event.last.family if event.last is not None else ANY
    return event.family
