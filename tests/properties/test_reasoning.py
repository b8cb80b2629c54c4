"""Contradiction, implication and overlap against plain enumeration on small domains; shadows and dead rules against the
brute evaluator."""

from __future__ import annotations

import os
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from hypothesis import given, note, settings
from hypothesis import strategies as st

from auditlint.auditctl.model import Field, Rule
from auditlint.core.facts import UNKNOWN
from auditlint.core.target import Target
from auditlint.kernel.algebra import Algebra
from auditlint.kernel.equivalence import removable
from auditlint.kernel.shadow import shadows
from auditlint.kernel.storage import store, store_rules
from tests.kernel import worlds
from tests.kernel.brute import holds
from tests.properties.rule_files import assert_same, load, rule_files
from tests.properties.size import TIMES, size

if TYPE_CHECKING:
    from auditlint.auditctl.model import Operator

TARGET = Target("6.1", "x86_64", "3.0.9")
UNSET = 4294967295
ORDER = ("=", "!=", "<", "<=", ">", ">=")
Event: TypeAlias = dict[str, Any]
Condition: TypeAlias = tuple[str, str, Any]

# -- the small domains: every event that conditions with these values can tell apart

VALUES = (0, 1, 2, 3)
NUMBERS = (0, 1, 2, 3, 4, 7, UNSET - 1)
IDS = ("uid", "euid", "auid")
FREE = ("a0", "pers")
BITS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, UNSET)
ERROR = UNSET + 1
BOUNDS = (0, 3, ERROR - 13, ERROR - 1, 1 << 31)
RESULTS = sorted(
    {bound + off for bound in BOUNDS for off in (-1, 0, 1) if 0 <= bound + off < ERROR} | {100, ERROR - 100}
)
OUTCOMES = (
    None,
    *((True, number) for number in RESULTS),
    *((False, number) for number in (*RESULTS, ERROR - 4095) if number >= ERROR - 4095),
)
GROUPS = tuple(product((0, 1, 2, 3), (0, 1, 2, 3), ((), (0,), (1,), (2,), (1, 2), (0, 1), (0, 2), (0, 1, 2), (3,))))
OBJECTS = (0, 1, 2, 3)


def number_condition(random: Random) -> Condition:
    kind = random.random()
    if kind < 0.35:
        name = random.choice(IDS)
        if name == "auid" and random.random() < 0.3:
            return name, random.choice(("=", "!=")), UNSET
        return name, random.choice(ORDER), random.choice(VALUES)
    if kind < 0.6:
        return random.choice(FREE), random.choice((*ORDER, "&", "&=")), random.choice((*VALUES, 4, 6))
    return "field_compare", random.choice(("=", "!=")), random.choice((10, 11, 16))  # uid auid, uid euid, auid euid


PAIRS = {10: ("uid", "auid"), 11: ("uid", "euid"), 16: ("auid", "euid")}


def number_events(conditions: list[Condition]) -> list[Event]:
    """All combinations of representative values of the fields that the conditions name."""
    names = {name for name, _, _ in conditions if name != "field_compare"}
    names |= {each for name, _, value in conditions if name == "field_compare" for each in PAIRS[value]}
    rooms = []
    for name in sorted(names):
        values = BITS if name in FREE else (*NUMBERS, UNSET) if name == "auid" else NUMBERS
        rooms.append([(name, value) for value in values])
    return [dict(chosen) for chosen in product(*rooms)]


def outcome_condition(random: Random) -> Condition:
    if random.random() < 0.4:
        return "success", random.choice(ORDER), random.choice((0, 1))
    return "exit", random.choice(ORDER), random.choice(BOUNDS)


def group_condition(random: Random) -> Condition:
    return random.choice(("gid", "egid")), random.choice(ORDER), random.choice((0, 1, 2))


def object_condition(random: Random) -> Condition:
    return random.choice(("obj_uid", "obj_gid")), random.choice(ORDER), random.choice((0, 1, 2, 3))


def meets(event: Event, condition: Condition) -> bool:
    name, op, value = condition
    if name == "field_compare":
        left, right = PAIRS[value]
        return bool(holds(event[left], op, event[right]))
    if name in ("exit", "success"):
        if event["outcome"] is None:
            return False
        good, number = event["outcome"]
        return bool(holds(number, op, value) if name == "exit" else holds(1 if good else 2, op, 1 if value else 2))
    if name in ("gid", "egid"):
        if op in ("=", "!="):
            among = value == event[name] or value in event["groups"]
            return bool(among is (op == "="))
        return bool(holds(event[name], op, value))
    if name.startswith("obj_"):
        return any(holds(each[name], op, value) for each in event["objects"])
    return bool(holds(event[name], op, value))


THINGS = [{"obj_uid": uid, "obj_gid": gid} for uid in OBJECTS for gid in (0, 1, 3)]
KINDS = {
    "numbers": (number_condition, number_events),
    "outcome": (outcome_condition, lambda _: [{"outcome": each} for each in OUTCOMES]),
    "groups": (
        group_condition,
        lambda _: [{"gid": gid, "egid": egid, "groups": among} for gid, egid, among in GROUPS],
    ),
    "objects": (
        object_condition,
        lambda _: (
            [{"objects": ()}, *({"objects": (each,)} for each in THINGS)]
            + [{"objects": (one, two)} for one in THINGS for two in THINGS]
        ),
    ),
}


def rule(conditions: list[Condition]) -> Rule:
    """A rule of the exit list for one call, whose results can look like errors."""
    return Rule(
        "exit",
        "always",
        1 << 9,
        (Field("arch", "=", 0xC000003E), *(Field(name, cast("Operator", op), value) for name, op, value in conditions)),
    )


def compare(kind: str, random: Random) -> tuple[str, ...]:
    """One pair of rules: what the enumeration says must not be denied, and for numbers must be known."""
    make: Any
    events_of: Any
    make, events_of = KINDS[kind]
    left = [make(random) for _ in range(random.randint(1, 3))]
    right = [make(random) for _ in range(random.randint(1, 2))]
    if random.random() < 0.3:
        left = [*left, *random.sample(right, 1)]
    events = events_of([*left, *right])
    ours = [all(meets(event, each) for each in left) for event in events]
    theirs = [all(meets(event, each) for each in right) for event in events]
    truth = {
        "possible": any(ours),
        "implied": all(not one or two for one, two in zip(ours, theirs, strict=True)),
        "overlap": any(one and two for one, two in zip(ours, theirs, strict=True)),
    }
    algebra = Algebra(store_rules((rule(left), rule(right)), TARGET, UNKNOWN))
    one, two = algebra.storage.rules
    said = {
        "possible": algebra.can_match(one),
        "implied": algebra.implies(one, two),
        "overlap": algebra.overlap(one, two),
    }
    for question, answer in said.items():
        exact = kind == "numbers" or (kind in ("outcome", "groups") and question != "implied")
        assert answer == truth[question] or (answer is None and not exact), (kind, question, answer, left, right)
    return tuple(question for question, answer in said.items() if answer is not None)


CASES = 1000 if TIMES == 1 else 100_000


def test_answers_agree_with_enumeration() -> None:
    random = Random(int(os.environ.get("AUDITLINT_SEED", "20")))
    known = dict.fromkeys(KINDS, 0)
    kinds = list(KINDS)
    for number in range(CASES):
        kind = kinds[number % len(kinds)] if number % 8 else "numbers"
        known[kind] += len(compare(kind, random))
    assert all(known.values()), known


@settings(max_examples=size(60), derandomize=TIMES == 1, deadline=None)
@given(rule_files(), st.integers(0, 9))
def test_rules_that_are_called_removable_change_nothing(made: Any, seed: Any) -> None:
    """Shadowed rules, and rules that never match or have no effect: each one taken out alone, in any list."""
    data, target, facts = made
    note(data.decode())
    storage = store(load(data, target, facts).loaded_with_c, target, facts)
    algebra = Algebra(storage)
    takers = {shadow.stored.index: shadow.by for shadow in shadows(algebra)}
    everything = [stored.rule for stored in storage.rules]
    for stored in storage.rules:
        if removable(algebra, stored, takers.get(stored.index, ())):
            note(f"without rule {stored.index}")
            assert_same(
                everything,
                [each.rule for each in storage.rules if each is not stored],
                target,
                seed,
                25 if TIMES == 1 else 100,
            )


SHADOWED = 10_000 if TIMES > 1 else 600


def test_shadowed_rules_decide_nothing() -> None:
    """Random rule sets as the kernel may hold them: without the shadowed rules, each event is decided the same."""
    random = Random(int(os.environ.get("AUDITLINT_SEED", "21")))
    tried = 0
    while tried < SHADOWED:
        raw = [worlds.rule(random) for _ in range(random.randint(2, 6))]
        for _ in range(random.randint(1, 3)):
            like = random.choice(raw)
            fields = [each for each in like["fields"] if random.random() < 0.8]
            raw.insert(random.randint(0, len(raw)), {**like, "fields": fields, "prepend": random.random() < 0.2})
        storage = store_rules(map(worlds.typed, raw), TARGET, worlds.FACTS)
        algebra = Algebra(storage)
        dead = {each.stored.index for each in shadows(algebra) if removable(algebra, each.stored, each.by)}
        if dead:
            everything = [stored.rule for stored in storage.rules]
            left = [stored.rule for stored in storage.rules if stored.index not in dead]
            assert_same(everything, left, TARGET, random.randrange(1000), 25)
            tried += 25
