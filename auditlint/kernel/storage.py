"""Where the kernel keeps each loaded rule, in which order it meets them, and with which priority.

Source: audit_add_rule() and audit_to_entry_common() in kernel/auditfilter.c, audit_add_watch() in
kernel/audit_watch.c, read in Linux 6.1.192.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, field, replace
from auditlint.core.path_lookup import resolve
from auditlint.kernel import syscall_classes as perm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditlint.auditctl.entries import Entry, LoadedRule
    from auditlint.auditctl.model import Rule
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

TASK, EXIT, HASH = "task list", "exit list", "inode hash"
USER, EXCLUDE, FILESYSTEM, URING = "user list", "exclude list", "filesystem list", "io_uring list"
_PLACES = {
    "task": TASK,
    "exit": EXIT,
    "user": USER,
    "exclude": EXCLUDE,
    "filesystem": FILESYSTEM,
    "io_uring": URING,
}

BUCKETS = 32
MISSING_BUCKET = 31
"""Bucket of the rules whose file is missing, and of failed look-ups: their inode number is all ones."""
TOP_PRIORITY = (1 << 64) - 1
"""Priority of rules on lists other than exit and io_uring, and of a task that a task rule records."""
_MIDDLE = TOP_PRIORITY // 2


@dataclass(frozen=True, slots=True)
class Stored:
    """A rule in the kernel.

    `index` is its number in load order, `position` its place in the list that holds it (0 first; in the
    inode hash: among all hashed rules as loaded). `prio` decides between exit list and inode hash: the
    greater wins. `mask` has the class bits 2032..2047 replaced by their members. `path` is what the text
    of a path or dir field leads to, with the links inside it followed. `inode` is the number known for
    it (or the value of `inode=`), `bucket` the bucket of the inode hash, None when not known. `filed` gives
    the order that the rules of one file take in their bucket when the file's name gets another inode.
    """

    rule: Rule
    entry: Entry | None = field(compare=False)
    index: int
    place: str
    position: int
    prio: int
    mask: int
    path: str | None = None
    inode: int | None = None
    bucket: int | None = None
    filed: int = 0

    @property
    def hashed(self) -> bool:
        return self.place == HASH


class Storage:
    """All rules of a load where the kernel keeps them, each list in the order of its walk."""

    __slots__ = (
        "_by_bucket",
        "_by_number",
        "_by_path",
        "counted",
        "exclude",
        "exit",
        "facts",
        "filesystem",
        "hashed",
        "rules",
        "signals",
        "target",
        "task",
        "uring",
        "user",
    )

    def __init__(self, rules: Iterable[Stored], target: Target, facts: Facts) -> None:
        lists: dict[str, list[Stored]] = {place: [] for place in (*_PLACES.values(), HASH)}
        self.rules = tuple(rules)
        """All of them, in load order."""
        for stored in self.rules:
            lists[stored.place].append(stored)
        for chain in lists.values():
            chain.sort(key=lambda stored: stored.position)
        self.target = target
        self.facts = facts
        self.task = tuple(lists[TASK])
        self.exit = tuple(lists[EXIT])
        self.hashed = tuple(lists[HASH])
        self.user = tuple(lists[USER])
        self.exclude = tuple(lists[EXCLUDE])
        self.filesystem = tuple(lists[FILESYSTEM])
        self.uring = tuple(lists[URING])
        self.counted = len(self.task) + len(self.exit) + len(self.hashed) + len(self.uring)
        """`audit_n_rules`: with 0 every context is a dummy, nothing is collected and nothing is filtered."""
        self.signals = any(signal_rule(stored, target) for stored in self.rules)
        """Some rule makes every kill look up its target (`audit_signals` is above 0)."""
        self._by_number: dict[int, tuple[Stored, ...]] = {}
        self._by_path: dict[str | None, list[Stored]] | None = None
        self._by_bucket: dict[int | None, list[Stored]] | None = None

    def rules_on(self, path: str | None) -> tuple[Stored, ...]:
        """The hashed rules whose `path` leads to that place, in order; with None the `inode=` rules."""
        if self._by_path is None:
            self._by_path = {}
            for stored in self.hashed:
                self._by_path.setdefault(stored.path, []).append(stored)
        return tuple(self._by_path.get(path, ()))

    def in_bucket(self, bucket: int | None) -> tuple[Stored, ...]:
        """The hashed rules of a bucket, in order; with None those whose bucket is not known."""
        if self._by_bucket is None:
            self._by_bucket = {}
            for stored in self.hashed:
                self._by_bucket.setdefault(stored.bucket, []).append(stored)
        return tuple(self._by_bucket.get(bucket, ()))

    def exit_rules(self, number: int) -> tuple[Stored, ...]:
        """The rules of the exit list whose mask has the number, in order."""
        found = self._by_number.get(number)
        if found is None:
            bit = number_bit(number)
            found = tuple(stored for stored in self.exit if stored.mask & bit) if bit else ()
            self._by_number[number] = found
        return found


def number_bit(number: int) -> int:
    """The mask bit of a system call number, 0 for a number outside 0..2047, such as those of x32 calls.

    audit_in_mask(), kernel/auditsc.c.
    """
    return 1 << number if 0 <= number < 2048 else 0


def in_mask(stored: Stored, number: int) -> bool:
    """Whether the mask of the rule has the number."""
    return bool(0 <= number < 2048 and stored.mask >> number & 1)


def signal_rule(stored: Stored, target: Target) -> bool:
    """Whether a rule counts in `audit_signals`: its mask holds a kill call of an ABI that its arch allows.

    audit_match_signal(), kernel/auditfilter.c: of several arch fields the last counts, whatever its operator.
    """
    arch = next((field for field in reversed(stored.rule.fields) if field.name == "arch"), None)
    table = perm.tables(target)
    compat = table.compat.signal if table.compat else 0
    if arch is None:
        return bool(stored.mask & (table.native.signal | compat))
    if table.compat is not None and arch.value == table.compat.elf:
        return bool(stored.mask & compat)
    return bool(stored.mask & table.native.signal)


def store(loaded: Iterable[LoadedRule], target: Target, facts: Facts) -> Storage:
    """The storage after a load."""
    return _store(((each.rule, each.entry) for each in loaded), target, facts)


def store_rules(rules: Iterable[Rule], target: Target, facts: Facts) -> Storage:
    """The storage of bare rules, taken to be accepted, in load order."""
    return _store(((rule, None) for rule in rules), target, facts)


def store_one(rule: Rule, target: Target, facts: Facts) -> Stored:
    """Where a rule would be kept that is the only one; its number is no place in any load."""
    place, path, inode, bucket = _place(rule, facts)
    mask = _expand(rule.mask, perm.selector_members(target))
    return Stored(rule, None, -1, place, 0, TOP_PRIORITY, mask, path, inode, bucket)


def _store(pairs: Iterable[tuple[Rule, Entry | None]], target: Target, facts: Facts) -> Storage:
    members = perm.selector_members(target)
    masks: dict[int, int] = {}
    chosen: list[Stored] = []
    low, high = _MIDDLE, _MIDDLE - 1
    ends: dict[str, list[int]] = {}
    for index, (rule, entry) in enumerate(pairs):
        place, path, inode, bucket = _place(rule, facts)
        front, back = ends.setdefault(place, [0, 0])
        if rule.prepend:
            ends[place][0] = position = front - 1
        else:
            position = back
            ends[place][1] = back + 1
        prio = TOP_PRIORITY
        if rule.list in ("exit", "io_uring"):
            if rule.prepend:
                prio = high = high + 1
            else:
                prio = low = low - 1
        mask = masks.get(rule.mask, 0)
        if not mask:
            mask = masks[rule.mask] = _expand(rule.mask, members)  # one number for all rules that share a mask
        chosen.append(Stored(rule, entry, index, place, position, prio, mask, path, inode, bucket, index))
    for at, stored in enumerate(chosen):
        front = ends[stored.place][0]
        if front:
            chosen[at] = replace(stored, position=stored.position - front)
    return Storage(chosen, target, facts)


def _expand(mask: int, members: tuple[int, ...]) -> int:
    """Replace the class selector bits, the top 16, by the members of their class (audit_to_entry_common())."""
    if not mask >> 2032:
        return mask
    expanded = mask & ((1 << 2032) - 1)
    for number, found in enumerate(members):
        if mask >> (2047 - number) & 1:
            expanded |= found
    return expanded


def _place(rule: Rule, facts: Facts) -> tuple[str, str | None, int | None, int | None]:
    """Where a rule is kept; the path, inode number and bucket of a path, dir or inode field."""
    place = _PLACES.get(rule.list, EXIT)
    if rule.list not in ("exit", "io_uring"):
        return place, None, None, None
    for each in rule.fields:
        if each.name == "path":
            path = _same(str(each.value), resolve(str(each.value), facts, follow=False))
            inode = facts.inodes.get(path)
            if inode is not None:
                return HASH, path, inode, inode % BUCKETS
            # A list may have the path as the rule spells it; an image is looked at below its links.
            said = not facts.paths_complete and str(each.value) in facts.paths_missing
            missing = said or path in facts.paths_missing
            return HASH, path, None, MISSING_BUCKET if missing else None
        if each.name == "dir":
            text = str(each.value)
            path = _same(text, resolve(text, facts, follow=text.endswith("/")))
            return place, path, facts.inodes.get(path), None
        if each.name == "inode" and each.op == "=":
            number = int(each.value)
            return HASH, None, number, number % BUCKETS
    return place, None, None, None


def _same(text: str, path: str) -> str:
    """The text of the rule where it is the path already: one string for both."""
    return text if text == path else path
