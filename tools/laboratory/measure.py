"""Measurements: scenarios carried out in the guest, and the rows that come of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from tools.laboratory import image, machine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tools.laboratory.cpio import Member
    from tools.laboratory.kernels import Kernel, Store
    from tools.laboratory.scenarios import Scenario

SECONDS_PER_SCENARIO = 60
BOOT_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a scenario cost: `instructions` of the whole operation by name; `held` rules in the kernel (None when none
    were loaded); `notes` what went wrong in the guest."""

    scenario: Scenario
    held: int | None
    instructions: Mapping[str, float]
    notes: tuple[str, ...]


def measure(
    scenarios: Sequence[Scenario],
    kernel: Kernel,
    store: Store,
    extra: str = "",
    kvm: bool = False,
    paths: Sequence[Member] = (),
) -> list[Measurement]:
    """Carries the scenarios out, one boot per kernel command line. `extra` is added to it, `paths` to the file tree.

    Raises UserError when the guest does not come to its end or a program is missing.
    """
    out: dict[str, Measurement] = {}
    programs = image.compiled(kernel.machine)
    for arguments in dict.fromkeys(scenario.kernel for scenario in scenarios):
        together = [scenario for scenario in scenarios if scenario.kernel == arguments]
        releases = dict.fromkeys(scenario.auditctl for scenario in together)
        loaders = {_folder(release): store.auditctl(release, kernel.machine) for release in releases}
        files = {f"rules/{scenario.name}": "\n".join(scenario.rules) + "\n" for scenario in together if scenario.rules}
        # A kernel that was never told to audit must not be told so by the reset between scenarios.
        plan = [
            line
            for scenario in together
            for line in scenario.plan(_folder(scenario.auditctl) if "audit=1" in arguments else None)
        ]
        files["plan"] = "\n".join(plan) + "\n"
        lines = machine.boot(
            kernel,
            image.build(programs, loaders, files, paths),
            f"{arguments} {extra or machine.PLAIN}",
            BOOT_SECONDS + SECONDS_PER_SCENARIO * len(together),
            kvm,
        )
        for measurement in readings(lines, together):
            out[measurement.scenario.name] = measurement
    return [out[scenario.name] for scenario in scenarios]


def _folder(release: str) -> str:
    return f"auditctl-{release}"


def readings(lines: Iterable[str], scenarios: Sequence[Scenario]) -> list[Measurement]:
    """The measurements in the output of a guest. Raises UserError when a scenario or its numbers are missing."""
    by_name = {scenario.name: scenario for scenario in scenarios}
    costs: dict[str, dict[str, float]] = {}
    held: dict[str, int] = {}
    notes: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        match line.split():
            case ["scenario", word] if word in by_name:
                name = word
                costs[name], notes[name] = {}, []
            case ["cost", operation, number] if name:
                costs[name][operation] = float(number)
            case ["held", number] if name:
                held[name] = int(number)
            case ["status", number] if name and number != "0":
                notes[name].append(f"a program ended with status {number}")
            case ["note", *_] if name:
                notes[name].append(line.removeprefix("note "))
            case [*words] if words and name and words[0].startswith(("Error", "There")):
                notes[name].append(f"auditctl: {line.strip()}")
    for scenario in scenarios:
        if not costs.get(scenario.name):
            raise UserError(
                f"the guest measured nothing for {scenario.name}: {'; '.join(notes.get(scenario.name, []))}"
            )
    return [
        Measurement(scenario, held.get(scenario.name), costs[scenario.name], tuple(notes[scenario.name]))
        for scenario in scenarios
    ]


def row(measurement: Measurement, line: str) -> dict[str, Any]:
    """A line of the measurements file for a kernel line."""
    scenario = measurement.scenario
    return {
        "scenario": scenario.name,
        "auditctl": scenario.auditctl,
        "actor": {"uid": scenario.uid, "auid": scenario.auid},
        "state": scenario.state,
        "rules": list(scenario.rules),
        "loaded": {line: measurement.held or 0},
        "instructions": {line: {name: round(value, 2) for name, value in measurement.instructions.items()}},
    }


def merged(rows: Iterable[dict[str, Any]], new: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a measurements file with those of another kernel line added or replaced."""
    out = {entry["scenario"]: entry for entry in rows}
    for entry in new:
        old = out.setdefault(entry["scenario"], entry)
        for key in ("loaded", "instructions"):
            old[key] = {**old[key], **entry[key]}
    return list(out.values())


def text(rows: Iterable[dict[str, Any]]) -> str:
    """A measurements file: one JSON object a line."""
    return "".join(json.dumps(entry) + "\n" for entry in rows)
