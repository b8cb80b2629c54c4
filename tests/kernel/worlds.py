"""Random rule sets and complete events over a small file tree, for comparing evaluators."""

from __future__ import annotations

import random
from typing import Any

from auditlint.auditctl.model import Field, Rule
from auditlint.core.facts import Facts, Mount
from tests.kernel.brute import B32, B64, UNSET, World

TREE = {
    "/": 2,
    "/d": 3,
    "/d/f": 35,
    "/d/g": 36,
    "/d/e": 5,
    "/d/e/deep": 67,
    "/d/empty": 7,
    "/x": 8,
    "/x/p": 40,
    "/x/q": 41,
    "/x/hard": 35,
    "/link": 42,
    "/dlink": 43,
    "/dev0": 44,
    "/x/prog": 45,
    "/x/other": 77,
}
LINKS = {"/link": "d/f", "/dlink": "d"}
DIRECTORIES = ("/", "/d", "/d/e", "/d/empty", "/x")
MISSING = ("/d/new", "/x/new", "/d/e/none", "/x/gone", "/d/empty/n")
WORLD = World(TREE, LINKS)
FACTS = Facts(
    inodes=TREE, symlinks=LINKS, mounts={"/": Mount("0:2", WORLD.magic)}, lsm="none", paths_missing=frozenset(MISSING)
)
MODES = {"/link": 0o120777, "/dlink": 0o120777, "/dev0": 0o020600, **dict.fromkeys(DIRECTORIES, 0o040755)}
OWNERS = {"/d/f": (0, 0), "/d/g": (1000, 100), "/x/p": (1000, 1000), "/x/q": (1, 10), "/d/e/deep": (1000, 10)}
IDS = ("auid", "uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid")
NUMBERS = (2, 3, 4, 5, 11, 37, 39, 59, 82, 84, 86, 87, 90, 102, 110, 257, 263, 264, 268, 295, 322, 437)
ORDER = ("=", "!=", "<", "<=", ">", ">=")


def rule(rng: random.Random) -> dict[str, Any]:
    """A rule that a kernel would accept."""
    where = rng.choices(("exit", "task", "exclude", "filesystem", "io_uring"), (24, 1, 2, 1, 1))[0]
    action = rng.choice(("always", "always", "never"))
    kind = rng.random()
    if kind < 0.35 or where not in ("exit", "io_uring"):
        mask = set(range(2048))
    elif kind < 0.4:
        mask = {rng.randrange(2030, 2048)}
    else:
        mask = set(rng.sample(NUMBERS, rng.randint(1, 6)))
    fields: list[tuple[str, str, Any]] = []
    if where == "filesystem":
        fields = [
            ("fstype", rng.choice(("=", "!=")), rng.choice((WORLD.magic, 0xEF53))) for _ in range(rng.randint(1, 2))
        ]
    else:
        for _ in range(rng.choices((0, 1, 2, 3, 4), (2, 5, 5, 3, 2))[0]):
            new = condition(rng, where)
            if new[0] != "exe" or all(name != "exe" for name, _, _ in fields):
                fields.append(new)
        if where in ("exit", "io_uring") and rng.random() < 0.6:
            fields.insert(rng.randint(0, len(fields)), place(rng))
    if rng.random() < 0.7 and where != "exclude":
        fields.append(("key", "=", f"k{rng.randint(1, 99)}"))
    return {"list": where, "action": action, "mask": mask, "fields": fields, "prepend": rng.random() < 0.15}


def place(rng: random.Random) -> tuple[str, str, Any]:
    kind = rng.random()
    if kind < 0.55:
        texts = [*TREE, *MISSING, "/dlink/f", "/dlink/new", "/dlink/g"]
        return ("path", "=", rng.choice([text for text in texts if text != "/"]))
    if kind < 0.8:
        return ("dir", "=", rng.choice((*DIRECTORIES, "/dlink", "/dlink/")))
    return ("inode", "=", rng.choice((*TREE.values(), 99, UNSET)))


def condition(rng: random.Random, where: str) -> tuple[str, str, Any]:
    if where == "exclude":
        name = rng.choice(("msgtype", "uid", "gid", "auid", "pid", "exe", "euid", "subj_user", "msgtype"))
    else:
        name = rng.choice(
            (
                *IDS,
                "arch",
                "exit",
                "success",
                "a0",
                "a1",
                "a2",
                "a3",
                "pid",
                "ppid",
                "pers",
                "sessionid",
                "perm",
                "exe",
                "saddr_fam",
                "obj_uid",
                "obj_gid",
                "devmajor",
                "devminor",
                "inode",
                "filetype",
                "field_compare",
                "subj_role",
            )
        )
    if name in IDS:
        values = (0, 10, 100, 1000, 1001) if name != "auid" else (0, 1000, UNSET)
        value = rng.choice(values)
        return name, rng.choice(("=", "!=") if value == UNSET else ORDER), value
    if name == "arch":
        return name, rng.choice(("=", "=", "!=")), rng.choice((B64, B32))
    if name == "exit":
        return name, rng.choice(ORDER), rng.choice((0, 3, 2**32 - 1, 2**32 - 2, 2**32 - 13))
    if name == "success":
        return name, rng.choice(ORDER), rng.choice((0, 1))
    if name in ("a0", "a1", "a2", "a3", "pers", "devminor"):
        return name, rng.choice((*ORDER, "&", "&=")), rng.choice((0, 1, 2, 3, 5, 64, 2**32 - 100))
    if name in ("pid", "ppid"):
        return name, rng.choice(ORDER), rng.choice((1, 2, 77, 78))
    if name == "sessionid":
        return name, rng.choice(ORDER), rng.choice((3, 4, 7, UNSET))
    if name == "perm":
        return name, rng.choice(("=", "=", "=", "!=")), rng.randint(1, 15)
    if name == "exe":
        return name, rng.choice(("=", "!=")), rng.choice(("/x/prog", "/x/other", "/x/none", "/link", "/d/f"))
    if name == "saddr_fam":
        return name, rng.choice(ORDER), rng.choice((1, 2, 10))
    if name in ("obj_uid", "obj_gid"):
        return name, rng.choice(ORDER), rng.choice((0, 1, 10, 100, 1000))
    if name == "devmajor":
        return name, rng.choice(ORDER), rng.choice((0, 1, 5))
    if name == "inode":
        return name, "!=", rng.choice((35, 36, 99, UNSET))
    if name == "filetype":
        return name, rng.choice(("=", "!=")), rng.choice((0o040000, 0o100000, 0o120000, 0o020000))
    if name == "field_compare":
        return name, rng.choice(("=", "!=")), rng.randint(1, 25)
    if name == "msgtype":
        return name, rng.choice(("=", "=", "!=", "<", ">")), rng.choice((1300, 1302, 1305, 1307, 1320, 1327, 1702))
    return name, rng.choice(("=", "!=")), "unconfined"


def typed(raw: dict[str, Any]) -> Rule:
    """The rule as the model takes it."""
    mask = sum(1 << bit for bit in raw["mask"])
    fields = tuple(Field(*each) for each in raw["fields"])
    return Rule(raw["list"], raw["action"], mask, fields, bool(raw["prepend"]))


def event(rng: random.Random) -> dict[str, Any]:
    """A complete event; `abi_number`, and devices as pairs, are for the brute evaluator."""
    ids = {name: rng.choice((0, 10, 1000, 1001)) for name in IDS}
    ids["auid"] = rng.choice((0, 1000, UNSET))
    number, objects, ok = call(rng)
    compat = rng.random() < 0.2 and all(each["type"] not in ("CREATE", "DELETE") for each in objects)
    if not ok:
        objects = [bare(each) if each["type"] == "CREATE" else each for each in objects]
    exit_value = rng.choice((0, 0, 3, 64)) if ok else -rng.choice((1, 2, 13))
    records = ["SYSCALL", *(["CWD"] if objects else []), *["PATH"] * len(objects), "PROCTITLE", "EOE"]
    family = rng.choice((1, 2, 10)) if rng.random() < 0.15 else None
    if family is not None:
        records.insert(1, "SOCKADDR")
    if not ok and number == 86:
        records.insert(0, "ANOM_LINK")
    gone = not objects and rng.random() < 0.1
    parent = {name: rng.choice((0, 1000)) for name in IDS}
    parent["auid"] = rng.choice((1000, UNSET))
    return {
        "nr": number,
        "abi": 32 if compat else 64,
        "abi_number": B32 if compat else B64,
        "a": [f"{rng.choice((0, 1, 2, 3, 5, 64, 2**64 - 100)):x}" for _ in range(4)],
        "exit": None if gone else exit_value,
        "success": None if gone else ok,
        "ids": ids,
        "groups": rng.choice(([], [10], [10, 100, 1000])),
        "pid": rng.choice((77, 78)),
        "ppid": rng.choice((1, 77)),
        "pers": rng.choice((0, 0, 8)),
        "exe": rng.choice(("/x/prog", "/x/other", "/d/f")),
        "session": "unset" if ids["auid"] == UNSET else rng.choice((3, 4)),
        "family": family,
        "flags": rng.choice((0, 1, 2)),
        "objects": objects,
        "records": records,
        "task": {
            "ids": parent,
            "groups": rng.choice(([], [10])),
            "ppid": rng.choice((1, 77)),
            "session": "unset" if parent["auid"] == UNSET else 7,
        },
    }


def thing(path: str, kind: str, name: str | None = None, inode: int | None = None) -> dict[str, Any]:
    """A path object of an existing file, or of a new one when `inode` is given."""
    uid, gid = OWNERS.get(path, (0, 0))
    mode = MODES.get(path, 0o100644)
    return {
        "name": path if name is None else name,
        "type": kind,
        "file": path,
        "mode": f"{mode:o}",
        "ouid": uid,
        "ogid": gid,
        "inode": TREE[path] if inode is None else inode,
        "dev": (0, 2),
        "rdev": (5, 1) if path == "/dev0" else (0, 0),
    }


def entry(path: str, kind: str, like: str | None = None, inode: int | None = None) -> dict[str, Any]:
    """A created or deleted entry: it has the data of `like`, or those of a new file."""
    source = like or path
    made = thing(source, kind, path, inode if like is None else None)
    return {**made, "file": None}


def bare(each: dict[str, Any]) -> dict[str, Any]:
    """The entry of a name that was not made."""
    return {key: each[key] for key in ("name", "type")}


def parent(path: str) -> dict[str, Any]:
    front = path.rpartition("/")[0]
    return thing(front or "/", "PARENT", front + "/")


def call(rng: random.Random) -> tuple[int, list[dict[str, Any]], bool]:
    """Number, path objects and success of a call that fits them."""
    files = [path for path in TREE if path not in DIRECTORIES]
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(NUMBERS), [], rng.random() < 0.7
    if kind < 0.4:
        path = rng.choice(list(TREE))
        number = rng.choice((2, 257, 90, 59, 4, 437))
        name, real = path, path
        if path == "/link":
            real = "/d/f"
        if path == "/dlink":
            real = "/d"
        if real.startswith("/d/") and rng.random() < 0.3:
            name = "/dlink" + real[2:]
        objects = [thing(real, "NORMAL", name)]
        if rng.random() < 0.1:
            objects[0]["name"] = "(null)"
        return number, objects, rng.random() < 0.7
    if kind < 0.5:
        name = rng.choice(MISSING)
        return rng.choice((2, 257, 4, 59)), [{"name": name, "type": rng.choice(("NORMAL", "UNKNOWN"))}], False
    if kind < 0.62:
        path = rng.choice(files)
        return rng.choice((87, 263)), [parent(path), entry(path, "DELETE", path)], rng.random() < 0.8
    if kind < 0.72:
        path = rng.choice(MISSING)
        made = entry(path, "CREATE", inode=rng.choice((300, 301, 333)))
        return rng.choice((2, 257, 85)), [parent(path), made], True
    if kind < 0.82:
        old = rng.choice([path for path in TREE if path not in ("/", "/d", "/x")])
        new = rng.choice((*MISSING[:4], "/x/q", "/d/g"))
        if new == old:
            new = "/x/new"
        objects = [parent(old), parent(new), entry(old, "DELETE", old)]
        if new in TREE:
            objects.append(entry(new, "DELETE", new))
        objects.append(entry(new, "CREATE", old))
        return rng.choice((82, 264)), objects, rng.random() < 0.8
    if kind < 0.87:
        one, two = rng.sample(files, 2)
        objects = [parent(one), parent(two), entry(one, "DELETE", one), entry(two, "DELETE", two)]
        return 316, [*objects, entry(two, "CREATE", one), entry(one, "CREATE", two)], True
    if kind < 0.93:
        path = rng.choice(("/d/empty", "/d/e"))
        return rng.choice((84, 263)), [parent(path), entry(path, "DELETE", path)], rng.random() < 0.8
    new = rng.choice(MISSING)
    source = rng.choice(files)
    linked = {**entry(new, "CREATE", source), "file": source}
    if rng.random() < 0.3:
        return 86, [parent(new), thing(source, "NORMAL")], False
    return 86, [parent(new), thing(source, "NORMAL"), linked], True


def as_json(raw: dict[str, Any]) -> dict[str, Any]:
    """The event as it stands in a file of events."""
    objects = [
        {
            **each,
            **{key: "{}:{}".format(*each[key]) for key in ("dev", "rdev") if key in each},
        }
        for each in raw["objects"]
    ]
    return {**{key: value for key, value in raw.items() if key != "abi_number"}, "objects": objects}
