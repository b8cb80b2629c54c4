"""What a call does to the rules while it runs: watched names that go away or appear, trees that are removed.

Source: audit_watch_handle_event(), audit_update_watch() and audit_remove_parent_watches() in
kernel/audit_watch.c, evict_chunk() and kill_rules() in kernel/audit_tree.c, fsnotify_move() in
include/linux/fsnotify.h, 6.1.192; the behaviour was measured on 5.10, 6.1 and 6.12.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from auditlint.kernel.paths import resolve
from auditlint.kernel.situation import S_IFMT, bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.facts import Facts
    from auditlint.kernel.situation import Seen
    from auditlint.kernel.storage import Storage, Stored

_S_IFDIR = 0o040000


@dataclass(frozen=True, slots=True)
class Effects:
    """What has happened to the rules by the end of a call; rules are named by their `index`.

    `lost` are path rules whose name goes away: when the first of them does, the inode hash is walked at
    once, with the objects `early`. `gone` match nothing at exit, `bound` stand for the given objects,
    `order` gives rules that were filed anew their place in front of the others. `dropped` rules exist no
    more. `changes` is the number of CONFIG_CHANGE records of the call: for watches, then for trees.
    """

    lost: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    bound: dict[int, tuple[Seen, ...]] = field(default_factory=dict)
    order: dict[int, int] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    changes: int = 0
    early: tuple[Seen, ...] = ()


NONE = Effects()


def place_of(objects: tuple[Seen, ...], number: int, facts: Facts) -> str | None:
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


def effects(storage: Storage, objects: tuple[Seen, ...]) -> Effects:
    """What a successful call with these path objects does to the rules."""
    facts = storage.facts
    deleted: list[tuple[str, Seen]] = []
    created: list[tuple[str, Seen]] = []
    for number, seen in enumerate(objects):
        if seen.object.type in ("CREATE", "DELETE"):
            place = place_of(objects, number, facts)
            if place is not None:
                (created if seen.object.type == "CREATE" else deleted).append((place, seen))
    if not deleted and not created:
        return NONE
    made_at = {place for place, _ in created}
    swapped = len(deleted) == len(made_at) == 2 and {place for place, _ in deleted} == made_at
    taken = {place for place, _ in deleted} - (set() if swapped else made_at)
    moved = deleted[: len(created)] if deleted else []

    lost = _watches(storage, taken)
    bound: dict[int, tuple[Seen, ...]] = {}
    order: dict[int, int] = {}
    gone = set(lost)
    front = 0
    for at, (place, seen) in enumerate(created):
        twins = (seen, moved[at][1]) if at < len(moved) and not swapped else (seen,)
        if swapped:
            twins = (seen, next(other for spot, other in deleted if spot != place))
        for watch in _by_text(storage, place):
            front -= len(watch)
            for offset, stored in enumerate(watch):
                bound[stored.index] = twins
                order[stored.index] = front + offset
                gone.discard(stored.index)
            break
        # Another watch of the same file under another text is not told: a missing file stays missing for it.
        for watch in _by_text(storage, place)[1:]:
            gone.update(stored.index for stored in watch if stored.inode is None)

    removed_dirs = {place for place, seen in deleted if _is_directory(seen)}
    trees_gone = {place for place, seen in deleted[len(moved) :] if _is_directory(seen)}
    dropped: set[int] = set()
    changes = 0
    if removed_dirs:
        for stored in (*storage.hashed, *storage.exit, *storage.uring):
            if stored.path is None:
                continue
            is_tree = stored.rule.get("dir") is not None
            if stored.path in trees_gone if is_tree else _parent(stored.path) in removed_dirs:
                dropped.add(stored.index)
                changes += 1
        for stored in (*storage.hashed, *storage.exit, *storage.uring, *storage.task):
            exe = stored.rule.get("exe")
            if exe is not None and _parent(resolve(str(exe.value), facts, follow=False)) in removed_dirs:
                dropped.add(stored.index)
    early = tuple(
        seen if seen.object.type != "CREATE" else bare(replace(seen.object, mode=None))
        for seen in objects
        if seen.object.type != "CREATE" or place_of(objects, objects.index(seen), facts) not in dict(deleted)
    )
    return Effects(frozenset(lost), frozenset(gone), bound, order, frozenset(dropped), changes, early if lost else ())


def _is_directory(seen: Seen) -> bool:
    return seen.mode is not None and seen.mode & S_IFMT == _S_IFDIR


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _by_text(storage: Storage, place: str) -> list[list[Stored]]:
    """The watches of a file, each with its rules in load order; the one that hears of events first.

    Rules with the same text share one watch, and an event reaches only the watch added last
    (audit_add_to_parent() and the end of the loop in audit_update_watch()).
    """
    texts: dict[str, list[Stored]] = {}
    for stored in storage.rules_on(place):
        path = stored.rule.get("path")
        texts.setdefault(str(path.value) if path is not None else "", []).append(stored)
    watches = [sorted(rules, key=lambda stored: stored.index) for rules in texts.values()]
    return sorted(watches, key=lambda rules: -rules[0].index)


def _watches(storage: Storage, places: set[str]) -> set[int]:
    """The path rules that lose their inode when these names go away."""
    return {stored.index for place in places for watch in _by_text(storage, place)[:1] for stored in watch}
