"""The corpus and some inputs by chance through every reader; `run.py` does it for longer."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import rooms
from tests.fuzz.inputs import generated, mutated

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())


@pytest.mark.parametrize("path", CORPUS, ids=[path.name for path in CORPUS])
def test_corpus(path: Path) -> None:
    rooms.check(path.read_bytes())


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.binary(max_size=300), st.integers(0, 255), st.integers(0, 255))
def test_any_bytes(data: bytes, room: int, target: int) -> None:
    rooms.check(bytes((room, target)) + data)


def test_generated() -> None:
    for seed in range(1000):
        rooms.check(generated(Random(seed)))


@pytest.mark.slow
def test_mutated_corpus() -> None:
    for seed in range(2000):
        random = Random(seed)
        rooms.check(mutated(random, random.choice(CORPUS).read_bytes()))
