"""The model against the second evaluator, on random rules and events."""

from __future__ import annotations

import random

import pytest

from auditlint.core.target import Target
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event_json import event_from_json
from auditlint.kernel.storage import store_rules
from tests.kernel import worlds
from tests.kernel.brute import Kernel


def compare(seed: int, count: int, kernel: str = "6.1") -> int:
    """Rules and events from a seed through both; the number of events compared."""
    rng = random.Random(seed)
    target = Target(kernel=kernel)
    line = tuple(map(int, kernel.split(".")))
    for _ in range(count):
        rules = [worlds.rule(rng) for _ in range(rng.randint(1, 9))]
        storage = store_rules(map(worlds.typed, rules), target, worlds.FACTS)
        for _ in range(10):
            raw = worlds.event(rng)
            expected = Kernel(rules, worlds.WORLD, line).run(raw)
            found = decide(storage, event_from_json(worlds.as_json(raw), target, lambda name, arch: None))
            by = found.by.index if found.by is not None else None
            assert (found.logged, found.key, by, found.records) == expected, (seed, rules, raw)
    return count * 10


def test_agrees_with_brute_force() -> None:
    assert compare(1, 300) == 3000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_agrees_with_brute_force_at_length(seed: int) -> None:
    compare(seed, 1000, "6.12" if seed % 2 else "6.1")
