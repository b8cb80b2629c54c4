"""A second evaluator, for complete events only: the kernel's lists as lists, moved about as the kernel does.

It shares no code with auditlint.kernel and knows nothing of unknown values. A rule is a dictionary
(`list`, `action`, `mask` as a set, `fields` as triples, `prepend`), an event one as in docs/match.md with all keys,
its objects with `inode`, `dev` and `rdev`. `World` is the file tree that both evaluators are told of.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Any

NOTHING = (1 << 64) - 1
BUCKETS = 32
UNSET = 4294967295
MIDDLE = NOTHING // 2
DIR_WRITE_64 = {82, 83, 84, 85, 86, 87, 88, 133, 258, 259, 263, 264, 265, 266, 316}
DIR_WRITE_32 = {8, 9, 10, 14, 38, 39, 40, 83, 296, 297, 301, 302, 303, 304, 353}
WRITE_64 = DIR_WRITE_64 | {49, 76, 77, 163, 167, 179, 285}
WRITE_32 = DIR_WRITE_32 | {51, 87, 92, 93, 131, 193, 194, 324, 361}
READ_64 = {89, 179, 191, 192, 193, 194, 195, 196, 267}
READ_32 = {85, 131, 229, 230, 231, 232, 233, 234, 305}
ATTR_64 = {86, 90, 91, 92, 93, 94, 188, 189, 190, 197, 198, 199, 260, 265, 268}
ATTR_32 = {9, 15, 16, 94, 95, 182, 198, 207, 212, 226, 227, 228, 235, 236, 237, 298, 303, 306}
SIGNAL_64, SIGNAL_32 = {62, 200, 234}, {37, 238, 270}
SELECTORS = (
    DIR_WRITE_64,
    DIR_WRITE_32,
    ATTR_64,
    ATTR_32,
    READ_64,
    READ_32,
    WRITE_64,
    WRITE_32,
    SIGNAL_64,
    SIGNAL_32,
)
B64, B32 = 0xC000003E, 0x40000003
TYPES = {
    "SYSCALL": 1300,
    "PATH": 1302,
    "CONFIG_CHANGE": 1305,
    "SOCKADDR": 1306,
    "CWD": 1307,
    "EXECVE": 1309,
    "EOE": 1320,
    "PROCTITLE": 1327,
    "ANOM_LINK": 1702,
}
OBJECT_OWNERS = {
    1: ("uid", "uid"),
    2: ("gid", "gid"),
    3: ("euid", "uid"),
    4: ("egid", "gid"),
    5: ("auid", "uid"),
    6: ("suid", "uid"),
    7: ("sgid", "gid"),
    8: ("fsuid", "uid"),
    9: ("fsgid", "gid"),
}
ID_PAIRS = {
    10: "uid auid",
    11: "uid euid",
    12: "uid fsuid",
    13: "uid suid",
    14: "auid fsuid",
    15: "auid suid",
    16: "auid euid",
    17: "euid suid",
    18: "euid fsuid",
    19: "suid fsuid",
    20: "gid egid",
    21: "gid fsgid",
    22: "gid sgid",
    23: "egid fsgid",
    24: "egid sgid",
    25: "sgid fsgid",
}


@dataclass
class World:
    """Inode numbers by path, links by path, one device and filesystem for everything."""

    inodes: dict[str, int]
    links: dict[str, str]
    dev: tuple[int, int] = (0, 2)
    magic: int = 0x01021994

    def real(self, path: str, last: bool) -> str:
        """Links resolved one at a time, from the front."""
        path = posixpath.normpath(path)
        for _ in range(40):
            parts = path.split("/")[1:]
            for count in range(1, len(parts) + (1 if last else 0)):
                front = "/" + "/".join(parts[:count])
                if front in self.links:
                    base = posixpath.dirname(front)
                    path = posixpath.normpath(posixpath.join(base, self.links[front], *parts[count:]))
                    break
            else:
                return path
        return path


@dataclass(eq=False)
class Watch:
    """struct audit_watch: a name in a directory, and the rules on it."""

    text: str
    place: str
    ino: int
    rules: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Entry:
    rule: dict[Any, Any]
    number: int
    prio: int
    mask: set[Any]
    watch: Watch | None = None
    tree: str | None = None
    exe: str | None = None

    @property
    def key(self) -> Any:
        return next((value for name, _, value in self.rule["fields"] if name == "key"), None)


def holds(left: Any, op: Any, right: Any) -> Any:
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "&": (left & right) != 0,
        "&=": (left & right) == right,
    }[op]


class Kernel:
    """The rule lists of a kernel; `run()` puts one event through a copy of them."""

    def __init__(self, rules: Any, world: Any, line: tuple[int, ...] = (6, 1), lsm: str = "none") -> None:
        self.world, self.line, self.lsm = world, line, lsm
        self.lists: dict[Any, Any] = {
            name: [] for name in ("task", "exit", "user", "exclude", "filesystem", "io_uring")
        }
        self.hash: list[Any] = [[] for _ in range(BUCKETS)]
        self.watches: list[Any] = []
        self.counted = 0
        low, high = MIDDLE, MIDDLE - 1
        for number, rule in enumerate(rules):
            mask = {bit for bit in rule["mask"] if bit < 2032}
            for index, members in enumerate(SELECTORS):
                if 2047 - index in rule["mask"]:
                    mask |= members
            prio = NOTHING
            if rule["list"] in ("exit", "io_uring"):
                if rule["prepend"]:
                    high += 1
                    prio = high
                else:
                    low -= 1
                    prio = low
            entry = Entry(rule, number, prio, mask)
            chain = self.lists[rule["list"]]
            for name, op, value in rule["fields"]:
                if name == "exe":
                    entry.exe = world.real(value, False)
                if rule["list"] not in ("exit", "io_uring"):
                    continue
                if name == "path":
                    chain = self.add_watch(entry, value)
                elif name == "inode" and op == "=":
                    chain = self.hash[value % BUCKETS]
                elif name == "dir":
                    entry.tree = world.real(value, value.endswith("/"))
            if rule["prepend"]:
                chain.insert(0, entry)
            else:
                chain.append(entry)
            if rule["list"] in ("task", "exit", "io_uring"):
                self.counted += 1

    def add_watch(self, entry: Any, text: Any) -> Any:
        place = self.world.real(text, False)
        found = next((watch for watch in self.watches if watch.text == text), None)
        if found is None:
            found = Watch(text, place, self.world.inodes.get(place, NOTHING))
            self.watches.insert(0, found)
        found.rules.insert(0, entry)
        entry.watch = found
        return self.hash[found.ino % BUCKETS]

    # -- what happens to rules during a call

    def move_watch(self, place: Any, ino: Any) -> None:
        """audit_update_watch(): the first watch of that name goes to another bucket, rule by rule."""
        for watch in self.watches:
            if watch.place != place:
                continue
            new = Watch(watch.text, place, ino)
            for entry in list(watch.rules):
                for chain in self.hash:
                    if entry in chain:
                        chain.remove(entry)
                entry.watch = new
                new.rules.insert(0, entry)
                self.hash[ino % BUCKETS].insert(0, entry)
            self.watches.remove(watch)
            self.watches.insert(0, new)
            return

    def is_watched(self, place: Any) -> Any:
        return any(watch.place == place for watch in self.watches)

    def drop(self, test: Any) -> Any:
        """Take rules out of all lists; how many there were."""
        count = 0
        for chain in (*self.lists.values(), *self.hash):
            for entry in [each for each in chain if test(each)]:
                chain.remove(entry)
                count += 1
        for watch in self.watches:
            watch.rules = [each for each in watch.rules if not test(each)]
        return count

    # -- one event

    def run(self, event: Any) -> Any:
        """(logged, key, number of the deciding rule, records)"""
        return Call(self, event).run()

    def message(self, event: Any, kind: Any) -> Any:
        """Whether a message of that type from a program in the state of the event is kept."""
        call = Call(self, event)
        for entry in self.lists["user"]:
            found = call.simple(entry, kind)
            if found is None:
                return True
            if found:
                return entry.rule["action"] != "never"
        return True

    def operation(self, event: Any, number: Any) -> Any:
        """(logged, key) of an io_uring operation of such a task, without files."""
        call = Call(self, event)
        if event["exit"] is not None:
            call.returned, call.success = event["exit"] % 2**32, event["success"]
        for entry in self.lists["io_uring"]:
            if number in entry.mask and call.matches(entry, None):
                return (True, entry.key) if entry.rule["action"] == "always" else (False, None)
        return False, None


class Call:
    def __init__(self, kernel: Any, event: Any) -> None:
        self.kernel, self.event, self.world = kernel, event, kernel.world
        self.names: list[Any] = []
        self.returned = self.success = None
        self.state, self.prio, self.key, self.by = "build", 0, None, None
        self.before: list[Any] = []
        self.vanished = 0
        self.dead_names = 0

    def run(self) -> Any:
        event, kernel = self.event, self.kernel
        for entry in kernel.lists["task"]:
            if self.matches(entry, None, fork=True):
                if entry.rule["action"] == "never":
                    return False, None, entry.number, ()
                self.state, self.prio, self.key, self.by = "record", NOTHING, entry.key, entry.number
                break
        anomaly = "ANOM_LINK" in event["records"]
        if not kernel.counted and not anomaly:
            return False, None, None, ()
        self.collect()
        if event["success"]:
            self.change_rules()
        if anomaly:
            self.other_record("ANOM_LINK")
        for _ in range(self.dead_names):
            self.other_record("CONFIG_CHANGE")
        if event["exit"] is not None:
            self.returned, self.success = event["exit"] % 2**32, event["success"]
        for entry in kernel.lists["exit"]:
            if event["nr"] in entry.mask and self.matches(entry, None):
                self.win(entry)
                break
        self.search_hash()
        if self.state != "record":
            return False, None, self.by, tuple(self.before)
        excluder = self.excluder("SYSCALL")
        if excluder is not None:
            return False, None, excluder, tuple(self.before)
        names = [name for name in event["records"] if name != "ANOM_LINK"]
        for _ in range(self.vanished):
            names.remove("PATH")
        if "PATH" not in names and "CWD" in names:
            names.remove("CWD")
        left = [name for name in names if self.excluder(name) is None]
        return True, self.key, self.by, (*self.before, *left)

    def other_record(self, name: Any) -> None:
        if self.excluder(name) is None:
            self.before.append(name)
            if self.prio == 0:
                self.state, self.prio = "record", 1

    def win(self, entry: Any) -> None:
        self.state = "record" if entry.rule["action"] == "always" else "disabled"
        self.prio, self.by = entry.prio, entry.number
        if entry.key is not None:
            self.key = entry.key

    def collect(self) -> None:
        """Path objects, less what the filesystem list keeps out."""
        hidden = any(
            name == "fstype" and holds(self.world.magic, op, value)
            for entry in self.kernel.lists["filesystem"]
            if entry.rule["action"] == "never"
            for name, op, value in entry.rule["fields"]
        )
        passed: set[Any] = set()
        for thing in self.event["objects"]:
            if "mode" not in thing or (hidden and thing["type"] in ("PARENT", "NORMAL") and thing["name"] != "(null)"):
                if "mode" in thing:
                    front = thing["name"] if thing["type"] == "PARENT" else posixpath.dirname(thing["name"]) + "/"
                    if thing["type"] == "NORMAL" and front in passed:
                        passed.remove(front)
                        self.vanished += 1
                        continue
                    if thing["type"] == "PARENT" and not any(
                        other["type"] in ("CREATE", "DELETE") and posixpath.dirname(other["name"]) + "/" == front
                        for other in self.event["objects"]
                    ):
                        passed.add(front)
                bare = {"ino": NOTHING, "dev": (0, 0), "rdev": (0, 0), "mode": 0, "uid": 0, "gid": 0}
                self.names.append({**bare, "way": None, "type": thing["type"]})
            elif hidden:
                self.vanished += 1
            else:
                mode = int(thing["mode"], 8)
                name = thing["name"]
                way = self.world.real(name, mode & 0o170000 != 0o120000) if name.startswith("/") else thing["file"]
                self.names.append(
                    {
                        "ino": thing["inode"],
                        "dev": thing["dev"],
                        "rdev": thing["rdev"],
                        "mode": mode,
                        "uid": thing["ouid"],
                        "gid": thing["ogid"],
                        "way": way,
                        "type": thing["type"],
                        "place": self.world.real(name, False) if name.startswith("/") else None,
                    }
                )

    def change_rules(self) -> None:
        kernel = self.kernel
        gone = [name for name in self.names if name["type"] == "DELETE" and name.get("place")]
        made = [name for name in self.names if name["type"] == "CREATE" and name.get("place")]
        moves = list(zip(gone, made, strict=False))
        exchange = len(gone) == 2 and {g["place"] for g in gone} == {m["place"] for m in made}
        for name in gone:
            if not exchange and name["place"] in {m["place"] for m in made}:
                continue
            if kernel.is_watched(name["place"]):
                now = self.names
                # What is created has no inode yet, or, where a file is replaced, no entry.
                self.names = []
                for each in now:
                    if each["type"] != "CREATE":
                        self.names.append(each)
                    elif each["place"] not in {g["place"] for g in gone}:
                        self.names.append(
                            {
                                **each,
                                "ino": NOTHING,
                                "dev": (0, 0),
                                "rdev": (0, 0),
                                "mode": 0,
                                "uid": 0,
                                "gid": 0,
                                "way": None,
                            }
                        )
                self.search_hash()
                self.names = now
            kernel.move_watch(name["place"], NOTHING)
        for name in made:
            kernel.move_watch(name["place"], name["ino"])
        moved = [name["place"] for name, _ in moves if name["mode"] & 0o170000 == 0o040000]
        removed = [name["place"] for name in gone[len(made) :] if name["mode"] & 0o170000 == 0o040000]
        above = {*moved, *removed}
        self.dead_names += kernel.drop(lambda e: e.watch is not None and posixpath.dirname(e.watch.place) in above)
        self.dead_names += kernel.drop(lambda e: e.tree is not None and e.tree in removed)
        kernel.drop(lambda e: e.exe is not None and posixpath.dirname(e.exe) in above)

    def search_hash(self) -> None:
        for name in self.names:
            for entry in self.kernel.hash[name["ino"] % BUCKETS]:
                if self.event["nr"] in entry.mask and self.matches(entry, name):
                    self.win(entry)
                    return

    def matches(self, entry: Any, name: Any, fork: bool = False) -> Any:
        if not fork and entry.prio <= self.prio:
            return False
        return all(self.true(triple, entry, name, fork) for triple in entry.rule["fields"])

    def true(self, triple: Any, entry: Any, at: Any, fork: Any) -> Any:
        name, op, value = triple
        event = self.event
        who = event["task"] if fork else event
        names = [] if fork else self.names
        if name == "key":
            return True
        if name == "pid":
            return holds(event["task"]["ppid"] if fork else event["pid"], op, value)
        if name == "pers":
            return holds(event["pers"], op, value)
        if name == "sessionid":
            return holds(UNSET if who["session"] == "unset" else who["session"], op, value)
        if name in ("gid", "egid") and op in ("=", "!="):
            among = value == who["ids"][name] or value in who["groups"]
            return among if op == "=" else not among
        if name in who["ids"]:
            return holds(who["ids"][name], op, value)
        if name == "exe":
            mine = self.world.inodes.get(entry.exe, NOTHING)
            same = not fork and entry.exe not in self.world.links and self.world.inodes.get(event["exe"]) == mine
            return same if op == "=" else not same
        if name == "field_compare" and value in ID_PAIRS:
            one, two = ID_PAIRS[value].split()
            return holds(who["ids"][one], op, who["ids"][two])
        if name in ("perm", "filetype"):
            if name == "perm":
                found = not fork and self.in_class(value)
            else:
                found = any(each["ino"] != NOTHING and each["mode"] & 0o170000 == value for each in names)
            return found if op == "=" else not found
        if name.startswith(("subj_", "obj_")) and name not in ("obj_uid", "obj_gid"):
            if self.kernel.lsm == "apparmor" and name == "subj_role":
                return holds("unconfined", op, value) if op in ("=", "!=") else False
            return False
        if fork:
            return False
        if name == "arch":
            return holds(event["abi_number"], op, value)
        if name == "ppid":
            return holds(event["ppid"], op, value)
        if name in ("a0", "a1", "a2", "a3"):
            return holds(int(event["a"][int(name[1])], 16) % 2**32, op, value)
        if name == "exit":
            return self.returned is not None and holds(self.returned, op, value)
        if name == "success":
            return self.success is not None and holds(1 if self.success else 2, op, 1 if value else 2)
        if name == "saddr_fam":
            return event["family"] is not None and holds(event["family"], op, value)
        if name == "path":
            watch = entry.watch
            return at is not None and watch.ino != NOTHING and at["ino"] == watch.ino and at["dev"] == self.world.dev
        if name == "dir":
            return any(each["way"] and (each["way"] + "/").startswith(entry.tree.rstrip("/") + "/") for each in names)
        if name == "field_compare":
            mine, theirs = OBJECT_OWNERS[value]
            return any(holds(who["ids"][mine], op, each[theirs]) for each in names)
        seen = names if at is None else [at]
        if name == "inode":
            return any(holds(each["ino"] % 2**32, op, value) for each in seen)
        if name in ("obj_uid", "obj_gid"):
            return any(holds(each[name[4:]], op, value) for each in seen)
        if name in ("devmajor", "devminor"):
            part = name == "devminor"
            return any(holds(each["dev"][part], op, value) or holds(each["rdev"][part], op, value) for each in seen)
        raise AssertionError(name)

    def in_class(self, letters: Any) -> Any:
        number, native = self.event["nr"], self.event["abi_number"] != B32
        words = [int(word, 16) for word in self.event["a"]]
        opens = {2: 1, 257: 2} if native else {5: 1, 295: 2}
        if self.kernel.line >= (5, 16) and number == 437:
            mode = self.event.get("flags", 0)
            return bool(letters & {0: 4, 1: 2, 2: 6, 3: 6}[mode % 4])
        if number in opens:
            return bool(letters & {0: 4, 1: 2, 2: 6, 3: 6}[words[opens[number]] % 4])
        if number in ((59, 322) if native else (11, 358)):
            return bool(letters & 1)
        if not native and number == 102:
            return bool(letters & 2) and words[0] == 2
        late = {452} if self.kernel.line >= (6, 6) else set()
        write, read, attr = (WRITE_64, READ_64, ATTR_64 | late) if native else (WRITE_32, READ_32, ATTR_32 | late)
        return bool(
            (letters & 2 and number in write) or (letters & 4 and number in read) or (letters & 8 and number in attr)
        )

    def excluder(self, record: Any) -> Any:
        """Number of the exclude rule that drops the record, None when it is kept."""
        for entry in self.kernel.lists["exclude"]:
            found = self.simple(entry, TYPES[record])
            if found is None:
                return None
            if found:
                return entry.number
        return None

    def simple(self, entry: Any, kind: Any) -> Any:
        """Whether a rule of the exclude or user list fits a record type; None when it ends the list."""
        event = self.event
        result = False
        for name, op, value in entry.rule["fields"]:
            if name == "msgtype":
                result = holds(kind, op, value)
            elif name == "gid":
                result = holds(event["ids"]["gid"], op, value)
            elif name in ("pid", "uid", "auid", "exe"):
                result = self.true((name, op, value), entry, None, False)
            elif name.startswith("subj_"):
                if self.kernel.lsm == "apparmor" and name == "subj_role":
                    result = holds("unconfined", op, value)
            else:
                return None
            if not result:
                break
        return result
