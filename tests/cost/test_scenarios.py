"""A copy of some measurements, so that the model is held against real kernels on every machine."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from auditlint.core.data import parse_toml
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.cost.price import Pricing
from auditlint.kernel.storage import store
from auditlint.load.program import load_file
from tests.cost.compare_measurements import LABORATORY, actor_of
from tests.cost.lab import KERNELS

DATA = parse_toml((Path(__file__).parent / "scenarios.toml").read_text(encoding="utf-8"))
SCENARIOS = {each["name"]: each for each in DATA["scenario"]}
WITHOUT_PATH = ("getppid", "read", "fstat")


def lines(scenario: dict[str, Any]) -> list[str]:
    """The rules, written out."""
    found = []
    for group in scenario["rules"]:
        for number in range(group["from"], group["from"] + group["count"]):
            found += [line.replace("#", str(number)) for line in group["lines"]]
    return found


def predicted(scenario: dict[str, Any], kernel: str) -> dict[str, tuple[float, float, float, float]]:
    """Per operation: base, total, low and high."""
    target = Target(kernel, "x86_64", scenario["auditctl"])
    text = "".join(line + "\n" for line in lines(scenario))
    program = load_file(Source(scenario["name"], text.encode()), target, LABORATORY)
    assert len(program.loaded) == len(lines(scenario))
    cost = Pricing(store(program.loaded, target, LABORATORY), actor_of({"uid": 0, "auid": None})).cost()
    found = {}
    for each in cost.operations:
        assert each.base is not None
        high = each.high if each.high is not None else float("inf")
        found[each.name] = (each.base, each.base + each.overhead, each.base + each.low, each.base + high)
    return found


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_calls_without_a_path_are_exact(name: str, kernel: str) -> None:
    """To the instruction: nothing in these calls is left to chance."""
    scenario = SCENARIOS[name]
    found = predicted(scenario, kernel)
    for operation, measured in zip(DATA["order"], scenario[kernel], strict=True):
        if operation in WITHOUT_PATH:
            assert found[operation][1] == pytest.approx(measured, abs=1), operation


@pytest.mark.parametrize("kernel", KERNELS)
def test_error_of_all(kernel: str) -> None:
    totals, shares, inside = [], [], []
    for scenario in SCENARIOS.values():
        found = predicted(scenario, kernel)
        for operation, measured in zip(DATA["order"], scenario[kernel], strict=True):
            base, total, low, high = found[operation]
            totals.append(abs(total - measured) / measured)
            shares.append((abs(total - measured), measured - base))
            inside.append(low - 1 <= measured <= high + 1)
    assert mean(totals) < 0.003
    assert sum(error for error, _ in shares) / sum(added for _, added in shares) < 0.01
    assert mean(inside) > 0.95


@pytest.mark.parametrize(
    ("before", "after", "faster", "slower"),
    [
        ("split_10x1", "merged_1x10", ("getppid", "read", "stat"), ()),
        ("split_hit_10x1", "merged_1x10", ("getppid", "read", "stat"), ()),
        ("hit50", "never_rw_then_hit50", ("read",), ("getppid", "fstat")),
        ("miss_50_rep", "never_rw_last_after_miss50", (), ("read", "getppid")),
        ("wdir_50", "dir4_50", ("getppid", "read", "fstat", "stat"), ()),
        ("dir_50", "dir4_50", ("getppid", "read", "fstat", "stat"), ()),
        ("watch_missing_90", "watch_50", ("access_fail",), ()),
        ("miss_300", "never_task_miss75", ("getppid", "read", "stat", "access_fail"), ()),
        ("base_norules_rep", "miss_1", (), ("getppid", "read", "stat", "access_fail")),
        ("miss_1", "fs_2_miss1", (), ("stat",)),
    ],
)
def test_signs(before: str, after: str, faster: tuple[str, ...], slower: tuple[str, ...]) -> None:
    for kernel in KERNELS:
        first, second = (predicted(SCENARIOS[name], kernel) for name in (before, after))
        for operation in faster + slower:
            at = DATA["order"].index(operation)
            measured = SCENARIOS[after][kernel][at] - SCENARIOS[before][kernel][at]
            model = second[operation][1] - first[operation][1]
            assert measured * model > 0, (kernel, operation)
            assert (model < 0) is (operation in faster), (kernel, operation)
