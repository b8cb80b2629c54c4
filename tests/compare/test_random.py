"""Random rule sets against their mutants: "same" is never refuted, and `decide()` confirms what is certain."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from auditlint.compare.comparison import compare
from auditlint.compare.findings import Comparison
from auditlint.core.target import Target
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.storage import Storage, store_rules
from tests.kernel import worlds

PAIRS = int(os.environ.get("AUDITLINT_DIFF_PAIRS", "40"))
EVENTS = 60
OWN_RECORDS = ("CONFIG_CHANGE", "ANOM_LINK")
"""First records of events that the kernel writes whatever the rules say; differences there are not counted."""


def mutated(rng: random.Random, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rules with one edit of a kind that people make."""
    edited = [dict(rule) for rule in rules]
    at = rng.randrange(len(edited))
    kind = rng.choice(("drop", "key", "shuffle", "move", "action", "mask", "fields", "add"))
    if kind == "drop":
        edited.pop(at)
    elif kind == "key":
        edited[at]["fields"] = [each for each in edited[at]["fields"] if each[0] != "key"] + [("key", "=", "kx")]
    elif kind == "shuffle":
        rng.shuffle(edited)
    elif kind == "move":
        edited.insert(rng.randrange(len(edited)), edited.pop(at))
    elif kind == "action":
        edited[at]["action"] = {"always": "never", "never": "always"}[str(edited[at]["action"])]
    elif kind == "mask":
        edited[at]["mask"] = set(rng.sample(worlds.NUMBERS, 4))
    elif kind == "fields":
        edited[at]["fields"] = rng.sample(edited[at]["fields"], len(edited[at]["fields"]))
    else:
        edited.insert(rng.randrange(len(edited) + 1), worlds.rule(rng))
    return edited


def stored(rules: list[dict[str, Any]], target: Target) -> Storage:
    return store_rules(map(worlds.typed, rules), target, worlds.FACTS)


def refuted(a: Storage, b: Storage, rng: random.Random, target: Target) -> object | None:
    """An event on which two rule sets surely differ, of some random ones."""
    for _ in range(EVENTS):
        raw = worlds.as_json(worlds.event(rng))
        event = event_from_json(raw, target, lambda name, arch: None)
        ours, theirs = decide(a, event), decide(b, event)
        own = any(decision.records and decision.records[0] in OWN_RECORDS for decision in (ours, theirs))
        if not own and (ours.logged, ours.key) != (theirs.logged, theirs.key):
            return raw, ours, theirs
    return None


def check_certain(comparison: Comparison, a: Storage, b: Storage, target: Target) -> None:
    for finding in comparison.findings:
        if finding.witness is None or finding.kind == "foreign":
            continue
        event = event_from_json(finding.witness.event, target, lambda name, arch: None)
        ours, theirs = decide(a, event), decide(b, event)
        assert None not in (ours.logged, theirs.logged)
        assert (ours.logged, ours.key if ours.logged else None) != (
            theirs.logged,
            theirs.key if theirs.logged else None,
        )


@pytest.mark.parametrize("kernel", ["6.1", "6.12"])
def test_same_is_never_refuted_and_certain_is_confirmed(kernel: str) -> None:
    rng = random.Random(f"diff {kernel}")
    target = Target(kernel)
    verdicts = []
    for _ in range(PAIRS):
        rules = [worlds.rule(rng) for _ in range(rng.randint(1, 9))]
        other = mutated(rng, rules)
        a, b = stored(rules, target), stored(other, target)
        comparison = compare(a, b)
        verdicts.append(comparison.verdict)
        check_certain(comparison, a, b, target)
        if comparison.verdict == "same" and not comparison.assumed:
            assert refuted(a, b, rng, target) is None, (rules, other)
    assert {"same", "different"} <= set(verdicts)


def test_swapping_the_sides_swaps_less_and_more() -> None:
    rng = random.Random("swap")
    target = Target("6.12")
    for _ in range(max(PAIRS // 2, 10)):
        rules = [worlds.rule(rng) for _ in range(rng.randint(1, 7))]
        a, b = stored(rules, target), stored(mutated(rng, rules), target)
        one, two = compare(a, b), compare(b, a)
        kinds = {"less": "more", "more": "less", "key": "key", "foreign": "foreign"}
        assert {kinds[finding.kind] for finding in one.findings} == {finding.kind for finding in two.findings}
        assert one.verdict == two.verdict


def test_a_rule_set_is_the_same_as_itself() -> None:
    rng = random.Random("itself")
    target = Target("6.12")
    for _ in range(10):
        rules = [worlds.rule(rng) for _ in range(12)]
        comparison = compare(stored(rules, target), stored(rules, target))
        assert (comparison.verdict, comparison.findings, comparison.assumed) == ("same", (), ())
