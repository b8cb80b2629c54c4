"""The model against the laboratory: the limits that the project promises."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from tests.cost.compare_measurements import LABORATORY, cells
from tests.cost.lab import KERNELS


@pytest.mark.parametrize("kernel", KERNELS)
def test_error_on_the_scenarios(shared: Path, kernel: str) -> None:
    found = cells(shared / "cost" / "measurements.jsonl", kernel, LABORATORY)
    walk = [cell for cell in found if cell.group == "walk"]
    assert len(walk) > 1700
    assert mean(cell.error / cell.measured for cell in walk) < 0.002
    assert sum(cell.error for cell in walk) / sum(cell.added for cell in walk) < 0.005
    assert mean(cell.error / cell.added for cell in walk if cell.added > 50) < 0.01
    assert mean(cell.low - 0.5 <= cell.measured <= cell.high + 0.5 for cell in walk) > 0.95
    wrong = [cell for cell in walk if bool(cell.logged) != cell.was_logged]
    assert not wrong
    logged = [cell for cell in found if cell.group == "logged" and cell.state is None]
    assert all(cell.logged and cell.was_logged for cell in logged)
    for operation in ("fork", "exec"):
        chosen = [cell for cell in found if cell.group == operation]
        assert mean(cell.error / cell.measured for cell in chosen) < 0.01
    switched = [cell for cell in found if cell.state and "-e 0" in cell.state and cell.operation in ("getppid", "stat")]
    assert switched and all(cell.error < 5 for cell in switched)
