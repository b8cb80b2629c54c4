"""Scenarios: a rule set, a task that is measured, and what else is done before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditlint.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCENARIOS = Path(__file__).parent / "scenarios.toml"
QUICK = ("base_norules", "miss_1", "miss_50_rep", "fail_uid_30", "watch_50")
"""Enough for a first look, and what CI measures."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A rule set and the task that is measured under it.

    `auditctl` is the release that loads `rules`, one line each. `uid` and `auid` are the task's ids, auid None is
    unset. `kernel` is what the kernel command line says of audit. `before` and `after` are arguments of an auditctl
    call before and after the task is forked; `reader` connects a reader that discards all records; `visit` are paths
    that the task opens first; `operations` are those that it performs, all when empty. `state` are the words of the
    measurements file for all this, None when nothing is special.
    """

    name: str
    rules: tuple[str, ...]
    auditctl: str = "3.0.9"
    uid: int = 0
    auid: int | None = None
    kernel: str = "audit=1"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    reader: bool = False
    visit: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    state: str | None = None

    def plan(self, loader: str | None) -> list[str]:
        """The commands of the guest (guest/init.c). `loader`: the folder of auditctl, None when audit is off."""
        out = [f"scenario {self.name}" + (f" {loader}" if loader else "")]
        if self.rules:
            out.append(f"rules {loader} /rules/{self.name}")
        if self.before:
            out.append(f"auditctl {loader} {' '.join(self.before)}")
        if self.reader:
            out.append("reader")
        login = "unset" if self.auid is None else self.auid
        only = [f"={','.join(self.operations)}"] if self.operations else []
        out.append(" ".join(map(str, ["start", self.uid, login, *self.visit, *only])))
        if self.after:
            out.append(f"auditctl {loader} {' '.join(self.after)}")
        out.append("run")
        return out


def scenarios(path: Path = SCENARIOS, names: Sequence[str] = ()) -> list[Scenario]:
    """The scenarios of a file, or those of some names in their order. KeyError for a name that is not there."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))["scenario"]
    all_scenarios = [_scenario(row) for row in table]
    if not names:
        return all_scenarios
    by_name = {scenario.name: scenario for scenario in all_scenarios}
    return [by_name[name] for name in names]


def _scenario(row: dict[str, Any]) -> Scenario:
    lines = tuple(
        line.replace("#", str(block.get("from", 0) + turn)) if "count" in block else line
        for block in row.get("rules", ())
        for turn in range(block.get("count", 1))
        for line in block["lines"]
    )
    row = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Scenario(**{**row, "rules": lines})
