"""Pairs of laboratory rule sets: where real kernels logged different things, they are never proved the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from auditlint.compare.comparison import compare
from auditlint.compare.findings import Options
from tests.kernel import lab

PAIRS = 3


def logged(record: dict[str, Any]) -> dict[tuple[str, str], list[object]]:
    """What the kernel logged of each operation of each actor, with keys."""
    return {
        (result["actor"], result["op"]): [(each.get("syscall"), each.get("key")) for each in result["logged"]]
        for result in record["results"]
    }


@pytest.mark.parametrize("kernel", lab.KERNELS)
def test_what_kernels_logged_differently_is_never_the_same(kernel: str) -> None:
    sets = [record for record in lab.sample_data(kernel).sets if record.get("tree", "standard") == "standard"]
    apart = 0
    for one, two in list(pairwise(sets))[:PAIRS]:
        a, b = lab.load(one["rules"], kernel), lab.load(two["rules"], kernel)
        comparison = compare(a, b, Options(nodes=3_000))
        ours, theirs = logged(one), logged(two)
        differs = any(ours[each] != theirs[each] for each in ours.keys() & theirs.keys())
        if differs:
            apart += 1
            assert comparison.verdict != "same", (one["id"], two["id"])
        assert compare(a, a).verdict == "same"
    assert apart
