"""How far the cost model is from measured rule sets.

    python -m tests.cost.compare_measurements [MEASUREMENTS] [--facts FILE] [--worst N]

MEASUREMENTS has the form of cost/measurements.jsonl of the reference data (default). Printed per kernel: mean absolute
error as a share of the total and of what audit adds, whether calls are logged as predicted, and how many
measurements lie within the bounds. Rows with a `state`, of fork and exec, and of logged calls stand apart.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from auditlint.core.facts import Facts
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.cost.operations import Actor
from auditlint.cost.price import Pricing
from auditlint.kernel.event import UNSET
from auditlint.kernel.storage import store
from auditlint.load.program import load_file

ROOT = Path(__file__).resolve().parents[2]

KERNELS = ("5.10", "6.1", "6.12")
LABORATORY = Facts(
    directories=frozenset(["/data", "/etc/test", "/etc/td", *(f"/etc/td/d{number}" for number in range(90))]),
    paths_missing=frozenset(f"/etc/test/missing{number}" for number in range(90)) | {"/bin/nonesuch"},
    lsm="apparmor",
)
"""What the laboratory's file tree is, as far as the scenarios name it."""
NEVER_ON = "auditing never switched on"
"""A state of the machine that costs what audit=0 costs."""
SMALLEST_EVENT = 15_000
"""A call that costs so much more than predicted without records was logged."""


@dataclass(frozen=True)
class Cell:
    """One measured operation of one scenario."""

    scenario: str
    operation: str
    state: str | None
    measured: float
    predicted: float
    base: float
    on: float
    low: float
    high: float
    logged: bool | None
    was_logged: bool

    @property
    def error(self) -> float:
        return abs(self.predicted - self.measured)

    @property
    def added(self) -> float:
        return self.measured - self.base

    @property
    def group(self) -> str:
        if self.state is not None and not self.logged:
            return "state"
        if self.operation in ("fork", "exec"):
            return self.operation
        return "logged" if self.logged or self.was_logged else "walk"


def actor_of(row: dict[str, int | None]) -> Actor:
    """The measured task."""
    login = UNSET if row["auid"] is None else int(row["auid"])
    return Actor("measured", int(row["uid"] or 0), login, "")


def cells(path: Path, kernel: str, facts: Facts) -> list[Cell]:
    """Every measured cell with its prediction."""
    found = []
    for row in map(json.loads, path.open(encoding="utf-8")):
        measured = row["instructions"].get(kernel)
        if measured is None:
            continue
        state = row["state"]
        target = Target(kernel, "x86_64", row["auditctl"])
        lines = row["rules"]
        if state is not None and "-a never,task" in state:
            lines = ["-a never,task"]
        text = "".join(line + "\n" for line in lines)
        program = load_file(Source(row["scenario"], text.encode()), target, facts)
        loaded = row["loaded"].get(kernel)
        if loaded is not None and lines is row["rules"] and loaded != len(program.loaded):
            print(f"{row['scenario']}: {len(program.loaded)} rules are predicted to load, {loaded} did")
        pricing = Pricing(store(program.loaded, target, facts), actor_of(row["actor"]), **_state(state or ""))
        cost = pricing.cost()
        for each in cost.operations:
            value = measured.get(each.name)
            if value is None or each.base is None:
                continue
            events = sum(part.amount for part in each.parts if part.what == "records written")
            plain = each.base + each.overhead - events
            found.append(
                Cell(
                    row["scenario"],
                    each.name,
                    state,
                    value,
                    each.base if state == NEVER_ON else each.base + each.overhead,
                    each.base,
                    (pricing.prices.user_bases if pricing.actor.uid else pricing.prices.bases)[each.name].on,
                    each.base + each.low,
                    each.base + (each.high if each.high is not None else float("inf")),
                    each.logged,
                    value - plain > SMALLEST_EVENT and each.name not in ("fork", "exec"),
                )
            )
    return found


def _state(state: str) -> dict[str, Any]:
    """What a state of the machine is for the model. Without a reader no daemon was connected."""
    daemon = "reader" if "reader" in state else "limited" if "-r 1" in state else "none"
    return {"enabled": 0 if "-e 0" in state else None, "running": "after the measured task" in state, "daemon": daemon}


def summary(found: list[Cell], group: str) -> str:
    """One line of the table."""
    chosen = [cell for cell in found if cell.group == group]
    if not chosen:
        return f"{group:8} no rows"
    share = 100 * mean(cell.error / cell.measured for cell in chosen)
    pooled = 100 * sum(cell.error for cell in chosen) / sum(cell.added for cell in chosen)
    single = 100 * mean(cell.error / cell.added for cell in chosen if cell.added > 50)
    rules = [cell.error / (cell.measured - cell.on) for cell in chosen if cell.measured - cell.on > 50]
    of_rules = 100 * mean(rules) if rules else float("nan")
    inside = 100 * mean(cell.low - 0.5 <= cell.measured <= cell.high + 0.5 for cell in chosen)
    right = 100 * mean(bool(cell.logged) == cell.was_logged for cell in chosen)
    return f"{group:8} {len(chosen):5} {share:9.2f} {pooled:11.2f} {single:11.2f} {of_rules:11.2f} {inside:9.1f}" + (
        f" {right:8.1f}" if group in ("walk", "logged") else ""
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, default=ROOT.parent / "shared" / "cost" / "measurements.jsonl")
    parser.add_argument("--facts", type=Path, help="facts about the measured machine instead of the laboratory's")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="the N cells that are furthest off")
    words = parser.parse_args(argv)
    facts = LABORATORY
    if words.facts is not None:
        from auditlint.io.facts_file import facts_from_toml

        facts = facts_from_toml(words.facts.read_text(encoding="utf-8"), str(words.facts))
    print("mean absolute error in percent: of the total, of what audit adds to audit=0 (pooled, and mean of the rows),")
    print("and of what the rules add to auditing without rules (mean of the rows)")
    heads = f"{'added':>11} {'added, mean':>11} {'rules, mean':>11} {'in bounds':>9} {'log right':>9}"
    print(f"{'kernel':8}{'rows':9} {'count':>5} {'total':>9} {heads}")
    for kernel in KERNELS:
        found = cells(words.path, kernel, facts)
        for group in ("walk", "logged", "fork", "exec", "state"):
            print(f"{kernel:8}{summary(found, group)}")
        worst = sorted((cell for cell in found if cell.group == "walk"), key=lambda cell: -cell.error)[: words.worst]
        for cell in worst:
            print(f"    {cell.scenario} {cell.operation}: measured {cell.measured:.0f}, predicted {cell.predicted:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
