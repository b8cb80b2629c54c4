"""What an event leaves out is never guessed: the answer stays right, or becomes unknown."""

from __future__ import annotations

import random

import pytest

from auditlint.core.facts import Facts
from auditlint.core.target import Target
from auditlint.kernel.evaluate import Decision, decide
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.storage import store_rules
from tests.kernel import worlds

KEYS = (
    "a",
    "exit",
    "success",
    "ids",
    "groups",
    "pid",
    "ppid",
    "pers",
    "exe",
    "session",
    "family",
    "objects",
    "task",
    "abi",
    "nr",
)
FEWER_FACTS = (
    worlds.FACTS,
    Facts(inodes={path: worlds.TREE[path] for path in ("/d/f", "/x/hard")}, symlinks=worlds.LINKS),
)
"""With fewer inode numbers; the two names of one file stay, else they would be two files."""
TARGET = Target(kernel="6.1")


def judge(rules: list[dict[str, object]], event: dict[str, object], facts: Facts) -> Decision:
    storage = store_rules(map(worlds.typed, rules), TARGET, facts)
    return decide(storage, event_from_json(event, TARGET, lambda name, arch: None))


def thin(rng: random.Random, whole: dict[str, object]) -> dict[str, object]:
    """The event without some of its keys; what a reader could conclude from others goes with them."""
    event = dict(whole)
    for key in rng.sample(KEYS, rng.randint(1, 3)):
        if key in ("exit", "success"):
            event.pop("exit", None)
            event.pop("success", None)
        elif key == "ids":
            kept = rng.sample(worlds.IDS, 5)
            event["ids"] = {name: whole["ids"][name] for name in kept}  # type: ignore[index]
        elif key in ("objects", "family"):
            event.pop(key, None)
            if "ANOM_LINK" not in event.get("records", ()):  # type: ignore[operator]
                event.pop("records", None)
        else:
            event.pop(key, None)
    return event


def check(seed: int, count: int) -> tuple[int, int]:
    rng = random.Random(seed)
    known = unknown = 0
    for _ in range(count):
        rules = [worlds.rule(rng) for _ in range(rng.randint(1, 6))]
        for _ in range(5):
            whole = worlds.as_json(worlds.event(rng))
            right = judge(rules, whole, worlds.FACTS)
            event = thin(rng, whole)
            found = judge(rules, event, rng.choice(FEWER_FACTS))
            assert right.logged is not None
            if found.logged is None:
                unknown += 1
                continue
            known += 1
            assert found.logged == right.logged, (seed, rules, event)
            if found.key is not None:
                assert found.key == right.key, (seed, rules, event)
            if found.by is not None:
                assert right.by is not None and found.by.index == right.by.index, (seed, rules, event)
            if found.records is not None and "records" in event and "objects" in event:
                assert found.records == right.records, (seed, rules, event)
    return known, unknown


def test_missing_keys_never_make_an_answer_wrong() -> None:
    known, unknown = check(7, 300)
    assert known > 300
    assert unknown > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 23))
def test_missing_keys_never_make_an_answer_wrong_at_length(seed: int) -> None:
    check(seed, 1500)
