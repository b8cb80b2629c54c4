"""Tables for people: measurements next to a reference, and one rule set next to another."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from auditlint.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tools.laboratory.measure import Measurement

NOISY = ("access_fail", "open_fail", "creat_unlink", "fork", "exec")
"""Operations whose instructions differ by up to 3 % from boot to boot (docs/cost-model.md)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One operation of one scenario, measured here and in the reference, in instructions."""

    scenario: str
    operation: str
    here: float
    reference: float

    @property
    def share(self) -> float:
        """The difference as a share of the reference."""
        return abs(self.here - self.reference) / self.reference


def cells(here: Iterable[dict], reference: Iterable[dict], line: str) -> list[Cell]:  # type: ignore[type-arg]
    """The cells that both measurement files have for a kernel line."""
    known = {entry["scenario"]: entry["instructions"].get(line, {}) for entry in reference}
    return [
        Cell(entry["scenario"], operation, value, known[entry["scenario"]][operation])
        for entry in here
        for operation, value in entry["instructions"].get(line, {}).items()
        if known.get(entry["scenario"], {}).get(operation)
    ]


def differences(all_cells: Sequence[Cell], worst: int = 10) -> str:
    """How far measurements are from the reference: one line an operation, then the worst cells that are not
    of noisy operations."""
    out = [f"{'operation':14} {'cells':>5} {'same':>5} {'mean %':>7} {'worst %':>8}"]
    for operation in dict.fromkeys(cell.operation for cell in all_cells):
        chosen = [cell for cell in all_cells if cell.operation == operation]
        same = sum(abs(cell.here - cell.reference) < 0.5 for cell in chosen)
        shares = [100 * cell.share for cell in chosen]
        out.append(f"{operation:14} {len(chosen):5} {same:5} {mean(shares):7.2f} {max(shares):8.2f}")
    ordered = sorted((cell for cell in all_cells if cell.operation not in NOISY), key=lambda cell: -cell.share)
    out += [
        f"  {cell.scenario} {cell.operation}: {cell.here:,.2f} here, {cell.reference:,.2f} in the reference"
        for cell in ordered[:worst]
        if cell.share > 0.005
    ]
    return "\n".join(out)


def side_by_side(measurements: Sequence[Measurement], names: Sequence[str]) -> str:
    """Operations against rule sets, in instructions, and what the last column saves against the one before it.

    The first measurement is the one without rules. Saved is a share of what the rules of the column before the last
    add.
    """
    base = measurements[0].instructions
    heads = "".join(f" {_short(name):>16}" for name in names)
    out = [f"{'operation':14}{heads}" + (f" {'saved':>8} {'of added':>9}" if len(names) > 2 else "")]
    for operation in base:
        values = [measurement.instructions[operation] for measurement in measurements]
        line = f"{operation:14}" + "".join(f" {value:16,.0f}" for value in values)
        if len(values) > 2:
            added = values[-2] - values[0]
            saved = values[-2] - values[-1]
            line += f" {saved:8,.0f} " + (f"{saved / added:9.1%}" if abs(added) > 50 else f"{'-':>9}")
        out.append(line)
    for measurement, name in zip(measurements[1:], names[1:], strict=True):
        out.append(f"{name}: the kernel holds {measurement.held} rules")
        out += [f"{name}: {note}" for note in measurement.notes]
    return "\n".join(out)


def _short(name: str) -> str:
    return name if len(name) <= 16 else "..." + name[-13:]


def as_json(measurements: Sequence[Measurement], names: Sequence[str]) -> Mapping[str, object]:
    """The same as data: `operations` maps an operation to instructions by rule set; `held` and `notes` by rule set."""
    return {
        "operations": {
            operation: {name: m.instructions[operation] for m, name in zip(measurements, names, strict=True)}
            for operation in measurements[0].instructions
        },
        "held": {name: m.held for m, name in zip(measurements, names, strict=True)},
        "notes": {name: list(m.notes) for m, name in zip(measurements, names, strict=True)},
    }
