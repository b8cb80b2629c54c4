"""Runs `check` on inputs of public reports and compares with what a reader of audit rules would want to be told.

    python -m tests.public_reports.run FILE        (JSON Lines in the form of ../shared/cases/README.md)

Prints for each case what was found, what was missed, and false alarms (findings that `must_not` names). The exit
status is 1 when there is a false alarm or when less than 95 % of the expected findings are there, else 0.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditlint.core.data import parse_toml
from auditlint.core.run_options import RunOptions
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import DEFAULT_AUDITCTL, DEFAULT_KERNEL, DEFAULT_MACHINE, Target
from auditlint.core.target_names import machine_and_arch
from auditlint.io.facts_file import facts_from_table
from auditlint.io.inputs import Input
from auditlint.lint.linter import Linter
from auditlint.lint.runner import Selection

HERE = Path(__file__).resolve().parent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditlint.core.findings import Finding

LEAST = 95
"""Percent of the expected findings that must be there."""
KINDS = {"rules": "rules", "rules.d": "rules.d", "config": "config", "cmdline": "cmdline"}
RENAMED = {"dirs": "directories"}
"""Facts have other names in `assume`."""


@dataclass(frozen=True)
class Outcome:
    """What came of one case: texts for people."""

    id: str
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false_alarms: tuple[str, ...]
    notes: tuple[str, ...]


def words() -> dict[str, list[str]]:
    """The checks that answer for each problem word."""
    return parse_toml((HERE / "problem-words.toml").read_text(encoding="utf-8"))


def run_case(case: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> Outcome:
    """Check the files of a case and compare."""
    findings = [finding for linter, entry in inputs(case) for finding in linter.check(entry).findings]
    found, missed, notes, false_alarms = [], [], [], []
    first = next(iter(case["files"]))
    for expected in case["expect"]:
        file = expected.get("file", first)
        what = f"{expected['problem']}@{file}:{expected['line']}"
        fitting = [
            finding
            for finding in findings
            if finding.name in names.get(expected["problem"], ())
            and finding.at.source.path == file
            and (expected["line"] == 0 or expected["line"] in lines_of(finding))
        ]
        if not fitting:
            missed.append(what if expected["problem"] in names else f"{what} (no check answers for this word)")
            continue
        found.append(what)
        details = [detail.strip() for detail in expected.get("detail", "").split(",") if detail.strip()]
        unnamed = [detail for detail in details if not any(detail in finding.message for finding in fitting)]
        if unnamed:
            notes.append(f"{what} does not name {', '.join(unnamed)}")
        if all(finding.severity != expected["severity"] for finding in fitting):
            notes.append(f"{what} is {fitting[0].severity}, not {expected['severity']}")
    for forbidden in case["must_not"]:
        problem, _, place = forbidden.partition("@")
        file, _, line = place.rpartition(":")
        for finding in findings:
            if finding.name not in names.get(problem, ()):
                continue
            if (not line or int(line) == line_of(finding)) and (not file or file == finding.at.source.path):
                false_alarms.append(f"{forbidden}: {finding.code} {describe(finding)}")
    return Outcome(case["id"], tuple(found), tuple(missed), tuple(false_alarms), tuple(notes))


def inputs(case: Mapping[str, Any]) -> list[tuple[Linter, Input]]:
    """The inputs of a case, each with what judges it."""
    machine, arch = machine_and_arch(*machine_words(case["arch"]))
    kernel, auditctl = case.get("kernel"), case.get("audit_userspace")
    target = Target(kernel or DEFAULT_KERNEL, machine or DEFAULT_MACHINE, auditctl or DEFAULT_AUDITCTL)
    table = {RENAMED.get(key, key): value for key, value in case.get("assume", {}).items()}
    facts = facts_from_table(table, case["id"])
    common = RunOptions(kernel, machine, auditctl, arch, target, facts, DEFAULT)
    sources = {name: Source(name, text.encode()) for name, text in case["files"].items()}
    kind = KINDS[case["kind"]]
    if kind == "rules.d":
        return [(Linter(common, Selection()), Input("rules.d", "rules.d", tuple(sources.values())))]
    if kind == "config":
        kind = "fragment" if case.get("fragment") else "config"
    with_rules = "audit.rules" in sources
    found = []
    for name, source in sources.items():
        own: Any = "rules" if name == "audit.rules" else kind
        found.append((Linter(common, Selection(), with_rules), Input(own, name, (source,))))
    return found


def machine_words(arch: str) -> tuple[str | None, str | None]:
    """`arch` of a case is a machine where one is called so, else the kernel's ARCH."""
    return (None, arch) if arch in ("mips", "arm") else (arch, None)


def line_of(finding: Finding) -> int:
    """1-based line; 0 for the file as a whole."""
    return 0 if finding.at.span == (0, 0) else finding.at.source.line_of(finding.at.span[0])


def lines_of(finding: Finding) -> tuple[int, ...]:
    """The lines that are right for a finding: one about the file as a whole is shown at line 1."""
    line = line_of(finding)
    return (line,) if line else (0, 1)


def describe(finding: Finding) -> str:
    return f"{finding.at.source.path}:{line_of(finding)} {finding.message}"


def run(path: Path) -> list[Outcome]:
    names = words()
    return [run_case(json.loads(line), names) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main(argv: Sequence[str]) -> int:
    if len(argv) != 1:
        sys.stderr.write("usage: python -m tests.public_reports.run FILE\n")
        return 2
    outcomes = run(Path(argv[0]))
    for outcome in outcomes:
        print(outcome.id)
        for title in ("found", "missed", "false_alarms", "notes"):
            for text in getattr(outcome, title):
                print(f"  {title.replace('_', ' ').rstrip('s')}: {text}")
    found = sum(len(outcome.found) for outcome in outcomes)
    expected = found + sum(len(outcome.missed) for outcome in outcomes)
    false_alarms = sum(len(outcome.false_alarms) for outcome in outcomes)
    print(f"{found} of {expected} expected findings, {false_alarms} false alarms, {len(outcomes)} cases")
    return int(false_alarms > 0 or found * 100 < expected * LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
