"""Contradiction, implication, overlap, shadowing and duplicates: known cases, and random events that may refute."""

from __future__ import annotations

import random

import pytest

from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.frozen import replace
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.kernel.algebra import Algebra
from auditlint.kernel.eval_context import EvalContext, see
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.rule_walk import visit
from auditlint.kernel.shadow import shadows, takes_all
from auditlint.kernel.storage import Storage, Stored, in_mask, store
from auditlint.load.program import load_file
from tests.kernel import worlds

TARGET = Target("6.1", "x86_64", "3.0.9")
"""An auditctl that does not widen the mask of perm."""


def algebra(*lines: str, facts: Facts = UNKNOWN, target: Target = TARGET) -> Algebra:
    """The rules of a file, all of which must load."""
    source = Source("a.rules", ("\n".join(lines) + "\n").encode())
    program = load_file(source, target, facts)
    assert program.run.failed_lines == 0, [entry.problem for entry in program.entries if entry.problem]
    return Algebra(store(program.loaded, target, facts))


@pytest.mark.parametrize(
    ("conditions", "answer"),
    [
        ("-F uid=0 -F uid=1", False),
        ("-F uid>=1000 -F uid<1000", False),
        ("-F uid>=1000 -F uid!=1000", True),
        ("-F auid>=1000 -F auid=unset", True),
        ("-F auid!=unset -F auid=unset", False),
        ("-F gid=5 -F gid=6", True),
        ("-F gid=5 -F gid!=5", False),
        ("-F gid=5 -F gid>100", True),
        ("-F gid=5 -F egid!=5", True),
        ("-F gid=5 -F egid!=5 -F gid!=5", False),
        ("-F gid=5 -F egid!=5 -F gid>100", False),
        ("-F exit<0", False),
        ("-F exit>=0", True),
        ("-F exit=-13 -F success=1", True),
        ("-F exit=-13 -F success=0", True),
        ("-F exit=5 -F success=0", False),
        ("-F exit=-13 -F exit=-1", False),
        ("-F success=1 -F success=0", False),
        ("-F a0&1 -F a0=2", False),
        ("-F a0&0", False),
        ("-F a0&=0", True),
        ("-F a0&=6 -F a0<6", False),
        ("-F a0&=6 -F a0<7", True),
        ("-F a1&3 -F a1<1", False),
        ("-C uid=euid -C uid!=euid", False),
        ("-C uid=euid -C euid=suid -C uid!=suid", False),
        ("-C uid=euid -F uid=0 -F euid=1", False),
        ("-C uid!=euid -F uid=0 -F euid=0", False),
        ("-C uid!=euid -F uid=0", True),
        ("-C auid=uid -F auid=unset", False),
        ("-F pid>5000000", False),
        ("-F sessionid=3 -F sessionid!=3", False),
        ("-F pers&8 -F pers!=8 -F pers<16", True),
        ("-F auid=0 -F auid>=1000 -F auid!=unset", False),
        ("-F a0=1 -F a0=2 -F a0>0", False),
        ("-F uid=chrony", True),
        ("-F uid=chrony -F uid!=chrony", False),
        ("-F uid=chrony -F uid=0", None),
        ("-F uid=chrony -F uid=ntp", None),
        ("-F uid=chrony -F auid>=1000", True),
        ("-F uid=chrony -F uid>=1000 -F uid<1000", False),
        ("-F auid=chrony -C uid=auid -F uid=0", None),
        ("-F gid=wheel -F gid=5", None),
    ],
)  # fmt: skip
def test_can_match_numbers(conditions: str, answer: bool | None) -> None:
    found = algebra(f"-a always,exit -F arch=b64 -S openat {conditions} -k k")
    assert found.can_match(found.storage.rules[0]) is answer


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("-a always,exit -F arch=b64 -S read -F perm=wa -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F perm=wa -k k", True),
        ("-a always,exit -F arch=b64 -S openat -F perm=x -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F perm=w -F a2=0 -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F perm=w -F a2&3 -k k", True),
        ("-a always,exit -F arch=b64 -S openat -F perm=r -F a2&=3 -k k", True),
        ("-a always,exit -F arch=b64 -F arch=b32 -S 5 -k k", False),
        ("-a always,exit -F arch!=b64 -F arch!=b32 -S 5 -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F obj_uid=0 -F obj_uid!=0 -k k", None),
        ("-a always,exit -F arch=b64 -S openat -F obj_uid>5 -F obj_uid<4294967294 -k k", True),
        ("-a always,exit -F path=/etc/x -F obj_uid=0 -F obj_uid=1 -k k", False),
        ("-a always,exit -F path=/etc/x -F devminor=0 -F devminor=2 -k k", True),
        ("-a always,exit -F path=/etc/x -F devminor=0 -F devminor=2 -F devminor=3 -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F filetype=dir -F filetype!=dir -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F filetype=dir -F filetype=file -k k", None),
        ("-a always,exit -F arch=b64 -S openat -F subj_user=a -F subj_user!=a -k k", False),
        ("-a always,exit -F arch=b64 -S openat -F saddr_fam=2 -k k", None),
        ("-a always,exit -F arch=b64 -S read -F dir=/etc -k k", None),
        ("-a always,task -F uid=0", True),
        ("-a always,task -F exe=/bin/x", False),
        ("-a always,task -F exe!=/bin/x", True),
        ("-a never,exclude -F msgtype=CWD -F msgtype=PATH", False),
        ("-a never,user -F uid=0", True),
    ],
)  # fmt: skip
def test_can_match_other_kinds(rule: str, answer: bool | None) -> None:
    found = algebra(rule)
    assert found.can_match(found.storage.rules[0]) is answer


def test_blames_the_conditions() -> None:
    found = algebra("-a always,exit -F arch=b64 -S openat -F pid=3 -F uid>5 -F exit=-13 -F uid<3 -k k")
    (contradiction,) = found.contradictions()
    assert [found.storage.rules[0].rule.fields[at].name for at in contradiction.fields] == ["uid", "uid"]


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [
        ("-S openat -F uid=0", "-S openat", True),
        ("-S openat", "-S openat -F uid=0", False),
        ("-S openat -F uid=0", "-S openat,open -F uid<5", True),
        ("-S openat,open -F uid=0", "-S openat -F uid<5", False),
        ("-S openat -F auid=unset", "-S openat -F auid>=1000", True),
        ("-S openat -F auid>=1000", "-S openat -F auid!=unset", False),
        ("-S openat -F success=0", "-S openat -F exit!=0", True),
        ("-S openat -F success=1", "-S openat -F exit>=0", True),
        ("-S openat", "-S openat -F exit>=0", False),
        ("-S openat -F exit=-13", "-S openat -F success=0", False),
        ("-S openat -F exit=5", "-S openat -F success=1", True),
        ("-S openat -F gid=5", "-S openat -F gid!=6", False),
        ("-S openat -F gid=5 -F gid!=6", "-S openat -F gid!=6", True),
        ("-S chmod", "-S all -F perm=a", True),
        ("-S openat -F perm=w", "-S openat -F perm=wa", True),
        ("-S openat2 -F perm=w", "-S openat2 -F perm=wa", True),
        ("-S openat2 -F perm=wa", "-S openat2 -F perm=w", True),
        ("-S openat -F perm=wa", "-S openat -F perm=w", True),
        ("-S openat,chmod -F perm=wa", "-S openat,chmod -F perm=w", False),
        ("-S openat -F a2=1", "-S openat -F perm=w", True),
        ("-S openat -F a2=0", "-S openat -F perm=w", False),
        ("-S openat", "-S openat -F perm=rw", True),
        ("-S openat -F obj_uid=0", "-S openat -F obj_uid<5", True),
        ("-S openat -F obj_uid<5", "-S openat -F obj_uid=0", None),
        ("-S openat", "-S openat -F obj_uid=0", False),
        ("-S openat -F dir=/etc", "-S openat -F dir=/etc", True),
        ("-S openat -F dir=/etc/ssh", "-S openat -F dir=/etc", None),
        ("-S openat -F exe=/a/b", "-S openat -F exe=/a/b", True),
        ("-S openat -F exe=/a/b", "-S openat -F exe!=/a/c", None),
        ("-S openat -C uid=euid -F uid=0", "-S openat -F euid=0", True),
        ("-S openat -F uid=0 -F euid=1", "-S openat -C uid!=euid", True),
        ("-S openat -F uid=0", "-S openat -F uid=chrony", None),
        ("-S openat -F uid=chrony", "-S openat -F uid=0", None),
        ("-S openat -F uid=ntp", "-S openat -F uid=chrony", None),
        ("-S openat -F uid=chrony", "-S openat -F uid=chrony", True),
        ("-S openat -F uid=chrony", "-S openat", True),
        ("-S openat", "-S openat -F uid=chrony", False),
        ("-S openat -F uid=chrony -F uid=0", "-S openat -F uid=0", True),
        ("-S openat -F gid=wheel", "-S openat -F gid=0", None),
        ("-S openat -F obj_uid=chrony", "-S openat -F obj_uid=0", None),
    ],
)  # fmt: skip
def test_implies(left: str, right: str, answer: bool | None) -> None:
    found = algebra(f"-a always,exit -F arch=b64 {left} -k left", f"-a never,exit -F arch=b64 {right} -k right")
    assert found.implies(*found.storage.rules) is answer


def test_one_arch_implies_none_and_both_imply_it_together() -> None:
    found = algebra(
        "-a always,exit -F arch=b64 -S 5 -k a", "-a always,exit -F arch=b32 -S 5 -k b", "-a always,exit -S 5"
    )
    b64, b32, plain = found.storage.rules
    assert found.implies(b64, plain) is True
    assert found.implies(plain, b64) is False
    (shadow,) = shadows(found)
    assert shadow.stored is plain
    assert shadow.by == (b64, b32)


def test_overlap() -> None:
    found = algebra(
        "-a always,exit -F arch=b64 -S openat -F uid>=1000 -k a",
        "-a always,exit -F arch=b64 -S openat,open -F uid<=1000 -k b",
        "-a always,exit -F arch=b64 -S openat -F uid<1000 -k c",
        "-a always,exit -F arch=b32 -S openat -k d",
    )
    one, two, three, four = found.storage.rules
    assert found.overlap(one, two) is True
    assert found.overlap(one, three) is False
    assert found.overlap(one, four) is False


SHADOWS = [
    (("-a always,exit -S openat -k a", "-a always,exit -S openat -F uid=0 -k b"), [(1, (0,), False)]),
    (("-a always,exit -S openat -F uid=0 -k a", "-a always,exit -S openat -k b"), []),
    (("-a always,exit -S openat -F uid=0 -k a", "-A always,exit -S openat -k b"), [(0, (1,), False)]),
    (("-w /etc/x -p wa -k a", "-w /etc/x -p w -k b"), [(1, (0,), True)]),
    (("-w /etc/x -p w -k a", "-w /etc/x -p wa -k b"), []),
    (("-w /etc/x -p w -k b", "-A always,exit -F path=/etc/x -F perm=wa -k a"), [(0, (1,), False)]),
    (("-a never,exit -S all -k a", "-w /etc/x -p w -k b"), [(1, (0,), False)]),
    (("-w /etc/x -k a", "-a always,exit -S openat -k b"), []),
    (("-w /etc/x -k a", "-w /etc/y -k b"), []),
    (
        ("-a always,exit -S open -k a", "-a always,exit -S openat -k b", "-a always,exit -S open,openat -F uid=0 -k c"),
        [(2, (0, 1), False)],
    ),
    (
        ("-a always,exit -S open -F uid<5 -k a", "-a always,exit -S openat -k b", "-a always,exit -S open,openat -k c"),
        [],
    ),
    (("-a never,user -F euid=0", "-a never,user -F uid=3"), [(1, (0,), False)]),
    (("-a always,exclude -F uid=chrony", "-a always,exclude -F uid=0", "-a always,exclude -F uid=ntp"), []),
    (("-a always,exclude -F uid=chrony", "-a always,exclude -F msgtype=CWD -F uid=chrony"), [(1, (0,), False)]),
    (("-a never,user -F gid=wheel", "-a never,user -F gid=0"), []),
    (("-a always,exit -S openat -F uid=chrony -k a", "-a always,exit -S openat -F uid=0 -k b"), []),
    (("-a never,task", "-a always,task -F uid=0"), [(1, (0,), False)]),
    (("-a always,exit -S all -F uid>=0 -F a0&=0 -F pid>0 -k a", "-a always,exit -S open -k b"), [(1, (0,), False)]),
    (
        (
            "-a always,exit -F arch=b64 -S all -F auid>=1000 -F auid!=unset",
            "-a always,exit -F arch=b64 -S openat -F auid=1000 -k b",
        ),
        [(1, (0,), False)],
    ),
]


@pytest.mark.parametrize(("lines", "expected"), SHADOWS)
def test_shadows(lines: tuple[str, ...], expected: list[tuple[int, tuple[int, ...], bool]]) -> None:
    found = algebra(*lines)
    places = [(each.stored.index, tuple(by.index for by in each.by), each.until_replaced) for each in shadows(found)]
    assert places == expected
    for each in shadows(found):
        if len(each.by) == 1:
            assert takes_all(found, each.by[0], each.stored)


def test_a_field_unknown_to_exclude_ends_the_list_for_what_reaches_it() -> None:
    lines = ("-a never,exclude -F uid=1 -F egid=2", "-a never,exclude -F uid=1", "-a never,exclude -F uid=2")
    found = algebra(*lines, target=Target("6.1", "x86_64", "4.2"))
    assert [contradiction.stored.index for contradiction in found.contradictions()] == [0]
    assert [(each.stored.index, each.by[0].index) for each in shadows(found)] == [(1, 0)]


def test_trees_in_one_another_overlap() -> None:
    found = algebra("-a always,exit -F dir=/srv -k a", "-a never,exit -F dir=/srv/cache", "-a never,exit -F dir=/home")
    outer, inner, other = found.storage.rules
    assert found.overlap(outer, inner) is True
    assert found.overlap(outer, other) is None


def test_perm_leaves_its_calls_alone() -> None:
    found = algebra("-w /a -p x", "-a always,exit -F arch=b64 -S execve,execveat -F path=/a", "-a always,exit -S 59")
    watch, narrow, _ = found.storage.rules
    b64 = next(arch for arch in found.world.archs if arch >> 31)
    assert found.meaning(watch).selection[b64] == 1 << 59 | 1 << 322
    assert takes_all(found, narrow, watch) is False  # 32-bit calls are left


def test_unconditional() -> None:
    found = algebra("-a always,task -F exe!=/a", "-a never,task -F uid>=0", "-a never,task -F uid=0", "-a never,task")
    assert [found.unconditional(stored) for stored in found.storage.rules] == [True, True, False, True]


def test_takes_common() -> None:
    found = algebra(
        "-a always,exit -F arch=b64 -S execve -k a",
        "-a never,exit -F exe=/usr/bin/x",
        "-a always,exit -F arch=b64 -S execve -F uid=0 -k b",
        "-a always,exit -F arch=b64 -S execve,execveat -F uid=0 -k c",
    )
    first, never, narrow, wide = found.storage.rules
    assert found.takes_common(first, never, narrow)
    assert not found.takes_common(first, never, wide)


def test_takes_common_does_not_mix_objects_up() -> None:
    """A rule on a file asks that file's owner; the others may ask the owner of some other file."""
    found = algebra("-w /a -p r -F obj_uid=0 -k a", "-a never,exit -F obj_uid=0", "-w /a -p r -k b")
    first, never, watch = found.storage.rules
    assert not found.takes_common(first, never, watch)


def situations(events: list[dict[str, object]]) -> list[EvalContext]:
    """What the filters see of each event."""
    found = []
    for event in events:
        read = event_from_json(event, TARGET, lambda name, arch: None)
        seen = tuple(see(thing, worlds.FACTS) for thing in read.objects or ())
        found.append(EvalContext(read, TARGET, worlds.FACTS, seen))
    return found


def matches(stored: Stored, evaluation: EvalContext) -> bool:
    """Whether a rule by itself matches an event, for some path object if it is hashed."""
    number = evaluation.event.nr
    if number is None or not in_mask(stored, number):
        return False
    places = evaluation.objects or () if stored.hashed else (None,)
    return any(visit(stored, evaluation, at).matched for at in places)


def refute(seed: int, count: int) -> dict[str, int]:
    """Random pairs of exit rules against random events: no proved answer may be refuted."""
    rng = random.Random(seed)
    answers = {"implied": 0, "disjoint": 0, "impossible": 0}
    events = situations([worlds.as_json(worlds.event(rng)) for _ in range(150)])
    for _ in range(count):
        raw = [worlds.rule(rng) for _ in range(2)]
        for each in raw:
            each["list"] = "exit"
            each["fields"] = [f for f in each["fields"] if f[0] not in ("msgtype", "fstype")]
        if rng.random() < 0.7:
            # A weaker or stronger copy makes implication likely.
            raw[1] = {**raw[0], "fields": [f for f in raw[0]["fields"] if rng.random() < 0.7], "prepend": False}
        found = Algebra(_stored(raw))
        left, right = found.storage.rules
        matching = [(matches(left, event), matches(right, event)) for event in events]
        for stored, at in ((left, 0), (right, 1)):
            if found.can_match(stored) is False:
                answers["impossible"] += 1
                assert not any(pair[at] for pair in matching), (seed, raw)
        if found.implies(left, right):
            answers["implied"] += 1
            assert not any(one and not two for one, two in matching), (seed, raw)
        if found.implies(left, right) is False:
            assert found.can_match(left), (seed, raw)
        if found.overlap(left, right) is False:
            answers["disjoint"] += 1
            assert not any(one and two for one, two in matching), (seed, raw)
    return answers


def _stored(raw: list[dict[str, object]]) -> Storage:
    from auditlint.kernel.storage import store_rules

    return store_rules(map(worlds.typed, raw), TARGET, worlds.FACTS)


def test_no_event_refutes_an_answer() -> None:
    answers = refute(3, 250)
    assert all(count > 10 for count in answers.values()), answers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 32))
def test_no_event_refutes_an_answer_at_length(seed: int) -> None:
    refute(seed, 800)


def dead_rules_never_decide(seed: int, count: int) -> int:
    """Random rule sets: a shadowed rule decides for no event, and taking it out changes nothing but keys."""
    rng = random.Random(seed)
    seen = 0
    for _ in range(count):
        raw = [worlds.rule(rng) for _ in range(rng.randint(2, 7))]
        raw += [
            {**each, "fields": [f for f in each["fields"] if rng.random() < 0.8]}
            for each in rng.sample(raw, rng.randint(1, 2))
        ]
        rng.shuffle(raw)
        storage = _stored(raw)
        shadowed = [
            each
            for each in shadows(Algebra(storage))
            if each.stored.rule.list in ("exit", "task", "exclude") and not each.tree
        ]
        if not shadowed:
            continue
        seen += len(shadowed)
        dead = {each.stored.index for each in shadowed}
        fewer = Storage(
            (replace(stored) for stored in storage.rules if stored.index not in dead), storage.target, storage.facts
        )
        for _ in range(25):
            event = event_from_json(worlds.as_json(worlds.event(rng)), TARGET, lambda name, arch: None)
            if any(thing.type in ("CREATE", "DELETE") for thing in event.objects or ()):
                continue  # these file rules anew, which turns their order round
            before, after = decide(storage, event), decide(fewer, event)
            assert before.by is None or before.by.index not in dead, (seed, raw)
            assert before.logged == after.logged, (seed, raw)
            assert before.records == after.records, (seed, raw)
    return seen


def test_shadowed_rules_never_decide() -> None:
    assert dead_rules_never_decide(5, 300) > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 42))
def test_shadowed_rules_never_decide_at_length(seed: int) -> None:
    dead_rules_never_decide(seed, 1000)


def recorders_record(seed: int, count: int) -> int:
    """Random rule sets and random wishes: what is surely recorded matches a rule whenever it matches the wish."""
    from auditlint.kernel.coverage import Coverage

    rng = random.Random(seed)
    events = situations([worlds.as_json(worlds.event(rng)) for _ in range(120)])
    covered = 0
    for _ in range(count):
        raw = [worlds.rule(rng) for _ in range(rng.randint(2, 6))]
        for each in raw:
            each["list"], each["action"] = "exit", "always"
            each["fields"] = [f for f in each["fields"] if f[0] not in ("msgtype", "fstype")]
        wish = {**rng.choice(raw), "prepend": False}
        extra = rng.choice(worlds.IDS)
        wish["fields"] = [*wish["fields"], (extra, ">=", rng.choice((0, 1, 1000)))]
        found = Algebra(_stored(raw))
        wanted = Algebra(_stored([wish])).storage.rules[0]
        what = Algebra(_stored([wish])).meaning(wanted)
        known = Coverage(found).recorders(what)
        if known is None or known[0] or found.can_match(wanted) is False:
            continue
        covered += 1
        for event in events:
            if matches(wanted, event):
                assert any(matches(stored, event) for stored in known[1]), (seed, raw, wish)
    return covered


def test_what_is_recorded_is_recorded() -> None:
    assert recorders_record(7, 250) > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50, 52))
def test_what_is_recorded_is_recorded_at_length(seed: int) -> None:
    recorders_record(seed, 1500)


def test_rules_that_are_nearly_implied_shadow_nothing() -> None:
    found = algebra(*(f"-a always,exit -F arch=b64 -S openat -F uid>={120 - n} -F euid<{n} -k k" for n in range(1, 60)))
    assert shadows(found) == []
    assert list(found.contradictions()) == []
