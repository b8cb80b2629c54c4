"""Single events: what has to hold whatever the random tests happen to draw."""

from __future__ import annotations

import pytest

from auditlint.core.facts import UNKNOWN, Facts, Mount
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.kernel.evaluate import Decision, decide
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.storage import Storage, store
from auditlint.load.program import load_file

TMPFS = 0x01021994
FILE = {"name": "/d/f", "mode": "0100644", "ouid": 0, "ogid": 0}


def loaded(*lines: str, facts: Facts = UNKNOWN, line: str = "6.1") -> Storage:
    target = Target(line, "x86_64", "3.0.9")
    program = load_file(Source("a.rules", ("\n".join(lines) + "\n").encode()), target, facts)
    assert program.run.failed_lines == 0
    return store(program.loaded, target, facts)


def judge(storage: Storage, **event: object) -> Decision:
    complete = {"abi": 64, "success": True, "exit": 0, "family": None, **event}
    return decide(storage, event_from_json(complete, storage.target, lambda name, arch: None))


def test_an_address_that_is_not_known() -> None:
    storage = loaded("-a always,exit -F arch=b64 -S connect -F saddr_fam=2 -k a")
    assert judge(storage, nr=42, family=2).logged is True
    assert judge(storage, nr=42, family=1).logged is False
    assert judge(storage, nr=42, family=None).logged is False
    unknown = event_from_json({"nr": 42, "abi": 64, "exit": 0}, storage.target, lambda name, arch: None)
    assert decide(storage, unknown).logged is None
    any_family = loaded("-a always,exit -F arch=b64 -S connect -F saddr_fam>=0 -k a")
    assert decide(any_family, unknown).logged is None


def test_on_5_10_the_last_address_stays() -> None:
    storage = loaded("-a always,exit -F arch=b64 -S getppid -F saddr_fam=2 -k a", line="5.10")
    after_connect = {"family": 2, "exit": 0, "success": True}
    assert judge(storage, nr=110, last=after_connect).logged is True
    assert judge(storage, nr=110, last={**after_connect, "family": None}).logged is False
    assert judge(storage, nr=110).logged is None
    newer = loaded("-a always,exit -F arch=b64 -S getppid -F saddr_fam=2 -k a", line="5.16")
    assert judge(newer, nr=110, last=after_connect).logged is False


REMOVED = [
    {"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"},
    {"name": "/d/f", "type": "DELETE", "mode": "0100644"},
]


def test_a_name_that_goes_away_is_judged_before_the_return_value() -> None:
    rules = ("-a always,exit -F path=/d/f -F perm=wa -F success=1 -k a",)
    assert judge(loaded(*rules), nr=87, objects=REMOVED).logged is False
    assert judge(loaded("-w /d/f -p wa -k a"), nr=87, objects=REMOVED).logged is True
    old = loaded(*rules, line="5.10")
    assert judge(old, nr=87, objects=REMOVED, last={"exit": 3, "success": True}).logged is True
    assert judge(old, nr=87, objects=REMOVED, last={"exit": -2, "success": False}).logged is False
    assert judge(old, nr=87, objects=REMOVED).logged is None
    # A call that fails removes nothing: the rule is judged at the exit, and for that the call failed.
    failed = loaded("-a always,exit -F path=/d/f -F perm=wa -F success=0 -k a")
    assert judge(failed, nr=87, objects=REMOVED, success=False, exit=-13).logged is True


def test_a_created_file_belongs_to_its_watch_at_once() -> None:
    """link() onto a watched missing name: the first object with the inode is the linked file itself."""
    rules = ("-a never,exit -F path=/d -k no", "-w /d/new -p wa -k yes")
    objects = [
        {"name": "/d/f", "type": "NORMAL", "file": "/d/f", "mode": "0100644"},
        {"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"},
        {"name": "/d/new", "type": "CREATE", "file": "/d/f", "mode": "0100644"},
    ]
    for facts in (UNKNOWN, Facts(inodes={"/d/f": 8, "/d": 9})):
        assert judge(loaded(*rules, facts=facts), nr=86, objects=objects).key == "yes"
    # Without the link the parent comes first, and its rule was loaded first.
    plain = [objects[1], {**objects[2], "file": None}]
    assert judge(loaded(*rules), nr=85, objects=plain).logged is False


def test_a_moved_file_matches_under_its_new_watch_by_either_entry() -> None:
    """The deleted entry of a rename has the inode of the new name already: it decides before the new entry."""
    rules = ("-w /d/to -p wa -k to", "-a never,exit -F inode=77")
    objects = [
        {"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"},
        {"name": "/d/from", "type": "DELETE", "mode": "0100644"},
        {"name": "/d/to", "type": "DELETE", "mode": "0100644", "inode": 77},
        {"name": "/d/to", "type": "CREATE", "mode": "0100644"},
    ]
    facts = Facts(inodes={"/d/hard": 77})
    assert judge(loaded(*rules, facts=facts), nr=82, objects=objects).key == "to"


def test_a_new_file_turns_prepended_rules_behind() -> None:
    """Rules of a missing file are filed anew in load order when it is made: -A is then no longer in front."""
    rules = ("-w /d/new -p w -k first", "-A never,exit -F path=/d/new -F perm=w -k second")
    made = [{"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"}]
    made.append({"name": "/d/new", "type": "CREATE", "mode": "0100644"})
    storage = loaded(*rules, facts=Facts(paths_missing=frozenset({"/d/new"})))
    assert judge(storage, nr=2, a=["0", "41", "0", "0"], objects=made).key == "first"
    assert judge(loaded(*rules), nr=90, objects=[{**FILE, "name": "/d/new"}]).logged is False


def test_a_second_watch_of_the_same_file_is_not_told() -> None:
    """Two texts for one missing file are two watches; an event reaches only the one that was added last."""
    facts = Facts(symlinks={"/l": "d"}, paths_missing=frozenset({"/d/new"}))
    made = [{"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"}]
    made.append({"name": "/d/new", "type": "CREATE", "mode": "0100644"})
    storage = loaded("-w /d/new -p w -k one", "-w /l/new -p w -k two", facts=facts)
    assert judge(storage, nr=2, a=["0", "41", "0", "0"], objects=made).key == "two"


def test_removed_directories_take_their_rules_along() -> None:
    removed = [
        {"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"},
        {"name": "/d/sub", "type": "DELETE", "mode": "040755"},
    ]
    found = judge(loaded("-a always,exit -F dir=/d/sub -F perm=wa -k gone"), nr=84, objects=removed)
    assert (found.logged, found.key, found.records and found.records[0]) == (True, None, "CONFIG_CHANGE")
    found = judge(loaded("-w /d/sub/f -p wa -k gone"), nr=84, objects=removed)
    assert found.records is not None
    assert found.records[0] == "CONFIG_CHANGE"
    moved = [*removed, {"name": "/d/new", "type": "CREATE", "mode": "040755"}]
    found = judge(loaded("-a always,exit -F dir=/d/sub -F perm=wa -k stays"), nr=82, objects=moved)
    assert (found.key, found.records and found.records[0]) == ("stays", "SYSCALL")
    both = ("-a always,exit -F dir=/d/sub -F perm=wa -k gone", "-a never,exit -F arch=b64 -S rmdir")
    found = judge(loaded(*both), nr=84, objects=removed)
    assert (found.logged, found.records) == (False, ("CONFIG_CHANGE",))
    quiet = ("-a never,exclude -F msgtype=CONFIG_CHANGE", *both[:1])
    assert judge(loaded(*quiet), nr=84, objects=removed).logged is False


def test_withheld_objects() -> None:
    rules = ("-a never,filesystem -F fstype=0x01021994", "-w /d/f -p wa -k a", "-a always,exit -S 87 -F dir=/d -k d")
    tmpfs = loaded(*rules, facts=Facts(mounts={"/": Mount("0:2", TMPFS)}))
    other = loaded(*rules, facts=Facts(mounts={"/": Mount("0:2", 0xEF53)}))
    unknown = loaded(*rules)
    assert judge(tmpfs, nr=90, objects=[FILE]).logged is False
    assert judge(other, nr=90, objects=[FILE]).logged is True
    assert judge(unknown, nr=90, objects=[FILE]).logged is None
    assert judge(unknown, nr=90, objects=[{**FILE, "fstype": "ext4"}]).logged is True
    assert judge(unknown, nr=90, objects=[{**FILE, "fstype": TMPFS}]).logged is False
    nameless = [{"name": "(null)", "mode": "0100644"}]
    assert judge(tmpfs, nr=87, objects=nameless).logged is False
    assert judge(other, nr=87, objects=nameless).logged is None
    mounts = {"/": Mount("0:2", TMPFS), "/d": Mount("8:1", 0xEF53)}
    assert judge(loaded(*rules, facts=Facts(mounts=mounts)), nr=90, objects=[FILE]).logged is True
    assert judge(loaded(*rules, facts=Facts(mounts=mounts)), nr=87, objects=nameless).logged is None
    many = [{**FILE, "name": f"/d/{number}"} for number in range(9)]
    assert judge(unknown, nr=87, objects=many).logged is None
    found = judge(tmpfs, nr=87, objects=REMOVED, records="SYSCALL CWD PATH PATH PROCTITLE EOE")
    assert found.logged is False
    always = loaded(*rules, "-a always,exit -S 87 -k all", facts=Facts(mounts={"/": Mount("0:2", TMPFS)}))
    found = judge(always, nr=87, objects=REMOVED, records="SYSCALL CWD PATH PATH PROCTITLE EOE")
    assert found.records == ("SYSCALL", "CWD", "PATH", "PROCTITLE", "EOE")
    descriptor = [{"name": "(null)", "file": "/d/f", "mode": "0100644"}]
    found = judge(always, nr=87, objects=descriptor, records="SYSCALL CWD PATH PROCTITLE EOE")
    assert found.records == ("SYSCALL", "PROCTITLE", "EOE")


def test_withheld_names_of_an_open_and_of_a_link() -> None:
    """An open with O_CREAT passes one name, which two objects show; link passes two."""
    rules = ("-a never,filesystem -F fstype=0x01021994", "-a always,exit -S all -k a")
    storage = loaded(*rules, facts=Facts(mounts={"/": Mount("0:2", TMPFS)}))
    parent = {"name": "/d/", "type": "PARENT", "file": "/d", "mode": "040755"}
    two = {"records": "SYSCALL CWD PATH PATH PROCTITLE EOE", "nr": 2, "objects": [parent, FILE]}
    assert judge(storage, **two).records == ("SYSCALL", "CWD", "PATH", "PROCTITLE", "EOE")
    made = {"name": "/d/new", "type": "CREATE", "file": "/d/f", "mode": "0100644"}
    three = {"records": "SYSCALL CWD PATH PATH PATH PROCTITLE EOE", "nr": 86, "objects": [parent, FILE, made]}
    assert judge(storage, **three).records == ("SYSCALL", "CWD", "PATH", "PATH", "PROCTITLE", "EOE")


def test_a_name_that_does_not_tell_its_place() -> None:
    storage = loaded("-a always,exit -S all -F dir=/d -k a")
    assert judge(storage, nr=2, objects=[{"name": "f", "mode": "0100644"}]).logged is None
    assert judge(storage, nr=2, objects=[{"name": "f", "file": "/d/f", "mode": "0100644"}]).logged is True
    assert judge(storage, nr=2, objects=[{"name": "f", "file": "/e/f", "mode": "0100644"}]).logged is False
    assert judge(storage, nr=2, objects=[{"name": "f", "mode": "0100644"}, FILE]).logged is True
    watch = loaded("-w /d/f -k a")
    assert judge(watch, nr=2, objects=[{"name": "f", "mode": "0100644"}]).logged is None
    assert judge(watch, nr=2, objects=[{"name": "(null)", "mode": "0100644", "inode": 5}]).logged is None
    known = loaded("-w /d/f -k a", facts=Facts(inodes={"/d/f": 6}))
    assert judge(known, nr=2, objects=[{"name": "(null)", "mode": "0100644", "inode": 5}]).logged is False
    assert judge(known, nr=2, objects=[{"name": "(null)", "mode": "0100644", "inode": 6}]).logged is True
    two_disks = Facts(inodes={"/d/f": 6}, mounts={"/d": Mount("8:1")})
    other = loaded("-w /d/f -k a", facts=two_disks)
    assert judge(other, nr=2, objects=[{"name": "(null)", "mode": "0100644", "inode": 6, "dev": "8:2"}]).logged is False


def test_exclude_may_or_may_not_drop() -> None:
    rules = ("-a always,exit -S all -k a", "-a never,exclude -F uid=5")
    storage = loaded(*rules)
    assert judge(storage, nr=110, objects=[], ids={"uid": 5}).logged is False
    assert judge(storage, nr=110, objects=[], ids={"uid": 6}).logged is True
    assert judge(storage, nr=110, objects=[]).logged is None
    link = {"nr": 86, "success": False, "exit": -1, "records": "ANOM_LINK SYSCALL PROCTITLE EOE"}
    found = judge(loaded("-a never,exit -S all", "-a never,exclude -F uid=5"), **link)
    assert (found.logged, found.records) == (False, None)
    paths = loaded("-a always,exit -S all -k a", "-a never,exclude -F msgtype=CWD", "-a never,exclude -F msgtype=PATH")
    assert judge(paths, nr=90, objects=[FILE]).records == ("SYSCALL", "PROCTITLE", "EOE")


def test_logged_for_sure_under_a_key_that_is_not_known() -> None:
    found = judge(loaded("-a always,exit -S all -F uid=0 -k root", "-a always,exit -S all"), nr=110, objects=[])
    assert (found.logged, found.key, found.by) == (True, None, None)
    assert found.reasons == ("which key is shown is not known: root or none",)
    one_key = ("-a always,exit -S all -F uid=0 -k k", "-a always,exit -S all -k k")
    assert judge(loaded(*one_key), nr=110, objects=[]).key == "k"


def test_switches() -> None:
    storage = loaded("-a always,exit -S all -k a")
    event = event_from_json({"nr": 110, "abi": 64, "exit": 0}, storage.target, lambda name, arch: None)
    assert decide(storage, event).logged is True
    for switch in ("off", "never", "boot-off"):
        found = decide(storage, event, switch)
        assert (found.logged, found.records) == (False, ())
        assert found.reasons


def test_without_counted_rules_nothing_is_looked_at() -> None:
    storage = loaded("-a never,exclude -F msgtype=CWD", "-a never,user -F uid=0")
    found = judge(storage, nr=86, objects=[], success=False, exit=-1)
    assert (found.logged, found.records) == (False, ())
    assert "dummies" in found.reasons[0]
    link = judge(storage, nr=86, success=False, exit=-1, records="ANOM_LINK SYSCALL CWD PATH PROCTITLE EOE")
    assert link.records == ("ANOM_LINK", "SYSCALL", "PATH", "PROCTITLE", "EOE")


@pytest.mark.parametrize(
    ("rules", "number", "logged"),
    [
        (("-a always,exit -S all -k a",), 0x40000000 + 110, False),
        (("-a always,exit -S all -k a",), 4000, False),
        (("-a always,exit -S all -k a",), -1, False),
        (("-a always,task",), 0x40000000 + 110, True),
    ],
)
def test_numbers_outside_the_mask(rules: tuple[str, ...], number: int, logged: bool) -> None:
    assert judge(loaded(*rules), nr=number, objects=[]).logged is logged


def test_a_number_below_0_with_objects_that_are_not_told() -> None:
    assert judge(loaded("-w /etc/passwd -p wa -k a"), nr=-1).logged is False


def test_an_unknown_system_call_is_judged_by_what_does_not_depend_on_it() -> None:
    found = judge(loaded("-a always,exit -S all -F uid=0 -k a"), objects=[], ids={"uid": 1})
    assert found.logged is False
    assert judge(loaded("-a always,exit -S all -F uid=0 -k a"), objects=[], ids={"uid": 0}).logged is None


def test_success_follows_from_the_return_value() -> None:
    storage = loaded("-a always,exit -S all -F success=0 -k a")
    for value, failed in ((-1, True), (-4095, True), (-4096, False), (0, False), (7, False)):
        event = event_from_json({"nr": 0, "abi": 64, "exit": value}, storage.target, lambda name, arch: None)
        assert decide(storage, event).logged is failed
    interrupted = loaded("-a always,exit -S all -F exit=-4 -k a")
    for value, is_interrupt in ((-512, True), (-516, True), (-515, False), (-517, False)):
        assert judge(interrupted, nr=0, exit=value, success=False).logged is is_interrupt


def test_an_account_by_name_may_be_any_account() -> None:
    event = {"nr": 39, "ids": {"uid": 0, "gid": 0}, "groups": [], "objects": []}
    assert judge(loaded("-a always,exit -F arch=b64 -S getpid -F uid=chrony -k a"), **event).logged is None
    assert judge(loaded("-a always,exit -F arch=b64 -S getpid -F gid!=wheel -k a"), **event).logged is None
    known = Facts(users={"chrony": 998})
    assert (
        judge(loaded("-a always,exit -F arch=b64 -S getpid -F uid=chrony -k a", facts=known), **event).logged is False
    )
