"""The data of rulesets/cost: they follow from the measurements, and every published figure is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditlint.core.data import load_toml, parse_toml, rows
from auditlint.core.target import Target
from auditlint.cost import sources
from auditlint.cost.operations import actors, operation_names, operations
from auditlint.cost.prices import prices
from tests.cost.lab import KERNELS
from tools.laboratory import fit


def test_prices_and_bases_follow_from_the_measurements(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.check(shared / "cost" / "measurements.jsonl") == 0, capsys.readouterr().out


def test_published_coefficients_agree_where_they_price_the_same(shared: Path) -> None:
    """Ours are exact where the published ones are fits: no further apart than 5 instructions or 10 %."""
    names = {"mask": "mask", "rules": "nd_sys", "depth": "nd_depth", "name": "nd_name", "name_child": "nd_child"}
    names |= {
        name: f"f_{name}" for name in ("arch", "auid", "uid", "euid", "exit", "exe", "dir", "path", "perm", "success")
    }
    names |= {"pid": "f_pid", "gid": "f_gid", "arg": "f_arg", "signal": "sig", "mark_open": "fsn_open"}
    for kernel in KERNELS:
        fitted = json.loads((shared / "cost" / f"coefficients-{kernel}.json").read_text())["coefficients"]
        ours = prices(Target(kernel, "x86_64", "3.0.9")).values
        for name, theirs in names.items():
            assert ours[name] == pytest.approx(fitted[theirs], rel=0.1, abs=5), (kernel, name)


def test_every_published_figure_is_shipped_and_printed(shared: Path) -> None:
    documented = parse_toml((shared / "cost" / "documented.toml").read_text(encoding="utf-8"))
    assert load_toml("cost/published.toml") == documented
    text = "\n".join(sources.text())
    for each in documented["series"]:
        assert each["id"] in text and each["source"] in text
        assert "  ".join(f"{x}: {y}" for x, y in each["points"]) in text
    for each in documented["point"]:
        assert each["id"] in text and each["what"] in text
        for value in each.values():
            if isinstance(value, dict):
                assert all(
                    str(number) in text
                    for pair in value.values()
                    for number in (pair if isinstance(pair, list) else [pair])
                )


@pytest.mark.parametrize(
    ("kernel", "line", "exact"),
    [
        ("5.10", "5.10", True),
        ("6.1", "6.1", True),
        ("6.12", "6.12", True),
        ("4.19", "5.10", False),
        ("5.15", "5.10", False),
        ("5.16", "6.1", False),
        ("6.6", "6.1", False),
        ("6.7", "6.12", False),
        ("7.3", "6.12", False),
        ("none", "6.12", False),
    ],
)
def test_nearest_measured_line(kernel: str, line: str, exact: bool) -> None:
    found = prices(Target(kernel, "x86_64", "4.2"))
    assert found.line == line
    assert (found.spread == 0) is exact
    assert bool(found.remarks) is not exact


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64", "s390x", "ppc64le", "arm", "i386"])
def test_operations_exist_on_every_machine(machine: str) -> None:
    for actor in actors().values():
        found = operations(Target("6.1", machine, "4.2"), actor)
        assert [each.name for each in found] == operation_names()
        for each in found:
            assert all(call.event.nr is not None for call in each.calls), (
                each.name,
                [call.name for call in each.calls],
            )


def test_tables_have_all_their_columns() -> None:
    assert {len(row) for row in rows("cost/prices.tsv")} == {6}
    assert {len(row) for row in rows("cost/bases.tsv")} == {8}
    assert {len(row) for row in rows("cost/events.tsv")} == {6}
    assert {len(row) for row in rows("cost/syscalls.tsv")} <= {5, 6}
