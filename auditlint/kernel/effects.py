"""What a call does to the rules while it runs: watched names that go away or appear, trees that are removed.

Source: audit_watch_handle_event(), audit_update_watch() and audit_remove_parent_watches() in
kernel/audit_watch.c, evict_chunk() and kill_rules() in kernel/audit_tree.c, fsnotify_move() in
include/linux/fsnotify.h, 6.1.192; the behaviour was measured on 5.10, 6.1 and 6.12.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, field, replace
from auditlint.core.path_lookup import resolve
from auditlint.kernel.eval_context import S_IFMT, bare, see
from auditlint.kernel.storage import Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts
    from auditlint.kernel.eval_context import ResolvedPath
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Stored

_S_IFDIR = 0o040000


@dataclass(frozen=True, slots=True)
class Effects:
    """What has happened to the rules by the end of a call; rules are named by their `index`.

    `lost` are path rules whose name goes away: when the first of them does, the inode hash is walked at
    once, with the objects `early`. `gone` match nothing at exit, `bound` stand for the given objects,
    `order` gives rules that were filed anew their place in front of the others, `filed` names them, watch
    by watch, as often as it happened. `dropped` rules exist no more. `changes` is the number of
    CONFIG_CHANGE records of the call: for watches, then for trees.
    """

    lost: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    bound: dict[int, tuple[ResolvedPath, ...]] = field(default_factory=dict)
    order: dict[int, int] = field(default_factory=dict)
    filed: tuple[tuple[int, ...], ...] = ()
    dropped: frozenset[int] = frozenset()
    changes: int = 0
    early: tuple[ResolvedPath, ...] = ()


NONE = Effects()


def place_of(objects: tuple[ResolvedPath, ...], number: int, facts: Facts) -> str | None:
    """Where a created or deleted entry stands in the tree: its own name, else its parent and its name."""
    seen = objects[number]
    name = seen.object.name
    if name is None:
        return None
    if name.startswith("/"):
        return resolve(name, facts, follow=False)
    head, _, last = name.rpartition("/")
    parents = [each for each in objects if each.object.type == "PARENT" and each.path is not None]
    for parent in parents:
        text = parent.object.name or ""
        # The kernel shows a parent as the front of the name as given, or as the working directory.
        if text.rstrip("/") == head if head else text.startswith("/") and not text.endswith("/"):
            return resolve(f"{parent.path}/{last}", facts, follow=False)
    if len({parent.path for parent in parents}) == 1:
        return resolve(f"{parents[0].path}/{last}", facts, follow=False)
    return None


def effects(storage: Storage, objects: tuple[ResolvedPath, ...]) -> Effects:
    """What a successful call with these path objects does to the rules."""
    entries = [
        (place, seen)
        for number, seen in enumerate(objects)
        if seen.object.type in ("CREATE", "DELETE") and (place := place_of(objects, number, storage.facts)) is not None
    ]
    if not entries:
        return NONE
    deleted = [(place, seen) for place, seen in entries if seen.object.type == "DELETE"]
    created = [(place, seen) for place, seen in entries if seen.object.type == "CREATE"]
    # A rename deletes the old name first and creates the new one; a name it replaces is deleted after that.
    moved, replaced = deleted[: len(created)], deleted[len(created) :]
    swapped = len(deleted) == 2 and sorted(place for place, _ in deleted) == sorted(place for place, _ in created)

    # The watch of a replaced name hears only of the new file.
    taken = [place for place, _ in deleted if swapped or place not in {spot for spot, _ in created}]
    filed = [watch for place in taken for watch in _watches(storage, place)[:1]]
    lost = frozenset(stored.index for watch in filed for stored in watch)
    gone = set(lost)
    bound: dict[int, tuple[ResolvedPath, ...]] = {}
    order: dict[int, int] = {}
    for at, (place, seen) in enumerate(created):
        came_from = moved[at][1:] if at < len(moved) else ()
        for number, watch in enumerate(_watches(storage, place)):
            if number:
                # Another watch of the file under another text is not told: a missing file stays missing for it.
                gone.update(stored.index for stored in watch if stored.inode is None)
                continue
            if watch[0].index in lost:
                watch.reverse()
            filed.append(watch)
            first = -sum(map(len, filed))
            for offset, stored in enumerate(watch):
                bound[stored.index] = (seen, *came_from)
                order[stored.index] = first + offset

    dropped, changes = _dropped(
        storage,
        removed={place for place, seen in replaced if _is_directory(seen)},
        moved={place for place, seen in moved if _is_directory(seen)},
    )
    return Effects(
        lost=lost,
        gone=frozenset(gone - bound.keys()),
        bound=bound,
        order=order,
        filed=tuple(tuple(stored.index for stored in watch) for watch in filed),
        dropped=dropped,
        changes=changes,
        early=_early(objects, entries, {place for place, _ in deleted}) if lost else (),
    )


def _dropped(storage: Storage, removed: set[str], moved: set[str]) -> tuple[frozenset[int], int]:
    """The rules that go with directories, and the number of CONFIG_CHANGE records that belong to the event.

    A removed directory takes its own `dir` rules; removed or moved, it takes the path and exe rules of the
    entries in it, whose marks sit on the directory. For exe rules the record is an event of its own.
    """
    dropped: set[int] = set()
    changes = 0
    if removed or moved:
        for stored in storage.rules:
            if stored.path is not None:
                is_tree = stored.rule.get("dir") is not None
                if stored.path in removed if is_tree else _parent(stored.path) in removed | moved:
                    dropped.add(stored.index)
                    changes += 1
            exe = stored.rule.get("exe")
            if exe is not None:
                program = resolve(str(exe.value), storage.facts, follow=False)
                if _parent(program) in removed | moved:
                    dropped.add(stored.index)
    return frozenset(dropped), changes


def _early(
    objects: tuple[ResolvedPath, ...], entries: list[tuple[str, ResolvedPath]], deleted: set[str]
) -> tuple[ResolvedPath, ...]:
    """The objects as they are when a name goes away: what the call creates is not there yet.

    A new name has its entry already, without inode; one that replaces a file gets its entry afterwards.
    """
    places = {id(seen): place for place, seen in entries}
    found = []
    for seen in objects:
        if seen.object.type != "CREATE":
            found.append(seen)
        elif places.get(id(seen)) not in deleted:
            found.append(bare(replace(seen.object, mode=None)))
    return tuple(found)


def after(storage: Storage, fx: Effects) -> Storage:
    """The storage that a call leaves behind: what it dropped is gone, rules filed anew stand in front.

    Each rule is moved to the head of its bucket in turn, so filing anew turns the order of the rules of a
    file round, except the first time (measured). What the name then stands for is told by its path alone.
    """
    rules = {stored.index: stored for stored in storage.rules if stored.index not in fx.dropped}
    front = min((stored.position for stored in storage.hashed), default=0)
    for watch in fx.filed:
        front -= len(watch)
        for offset, index in enumerate(watch):
            old = rules.get(index)
            if old is not None:
                rules[index] = replace(old, position=front + offset, filed=-offset, inode=None, bucket=None)
    return Storage(rules.values(), storage.target, storage.facts)


def behind(storage: Storage, event: Event) -> Storage | None:
    """The storage as the next call finds it; None when the event names what it made or removed, but not whether it
    succeeded. Path objects that are not known change nothing."""
    if not any(thing.type in ("CREATE", "DELETE") for thing in event.objects or ()):
        return storage
    if event.outcome.success is None and event.outcome.returned is not False:
        return None
    if not event.outcome.success:
        return storage
    seen = tuple(see(thing, storage.facts) for thing in event.objects or ())
    return after(storage, effects(storage, seen))


def _is_directory(seen: ResolvedPath) -> bool:
    return seen.mode is not None and seen.mode & S_IFMT == _S_IFDIR


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _watches(storage: Storage, place: str) -> list[list[Stored]]:
    """The watches of a file, each with its rules in load order; the one that hears of events first.

    Rules with the same text share one watch, and an event reaches only the watch added last
    (audit_add_to_parent() and the end of the loop in audit_update_watch()).
    """
    texts: dict[str, list[Stored]] = {}
    for stored in storage.rules_on(place):
        path = stored.rule.get("path")
        texts.setdefault(str(path.value) if path is not None else "", []).append(stored)
    watches = [sorted(rules, key=lambda stored: stored.filed) for rules in texts.values()]
    return sorted(watches, key=lambda rules: -min(stored.index for stored in rules))
