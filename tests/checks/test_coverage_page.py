"""docs/checks/coverage.md has one line for every fault of the catalogue: a check, or the reason why there is none."""

import re
from pathlib import Path

from auditlint.core.data import parse_toml, read_text
from auditlint.lint.registry import all_checks

ROOT = Path(__file__).resolve().parent.parent.parent
KNOWN = [
    line for line in (Path(__file__).parent / "fault-ids.txt").read_text().splitlines() if not line.startswith("#")
]
CHECKED, UNFIXED = (
    re.findall(r"^\| ([a-z0-9-]+) \| (.+) \|$", part, re.MULTILINE)[1:]
    for part in read_text("pages/coverage.md").split("\n## Rewrites that are no fix\n")
)
FIXED = {check.code for check in all_checks() if check.fixes}


def has_fix(fault: str) -> bool:
    return bool(FIXED.intersection(re.findall(r"AL\d{3}", dict(CHECKED)[fault])))


def test_catalogue_has_all_faults() -> None:
    assert len(KNOWN) == len(set(KNOWN)) == 171


def test_every_fault_has_one_line() -> None:
    found = [fault for fault, _ in CHECKED]
    assert sorted(fault for fault in set(found) if found.count(fault) > 1) == []
    assert sorted(set(found) - set(KNOWN)) == []
    assert sorted(set(KNOWN) - set(found)) == []


def test_lines_name_a_check_or_a_reason() -> None:
    assert [fault for fault, text in CHECKED if not re.search(r"AL\d{3}|left out", text)] == []


def test_what_has_no_fix_has_none() -> None:
    assert [fault for fault, _ in UNFIXED if fault not in KNOWN or has_fix(fault)] == []
    assert len({fault for fault, _ in UNFIXED}) == len(UNFIXED)


def test_every_rewrite_is_a_fix_or_has_a_reason(shared: Path) -> None:
    catalogue = parse_toml((shared / "spec/diagnostics.toml").read_text(encoding="utf-8"))["diagnostic"]
    rewritten = {each["id"] for each in catalogue if each.get("rewrite", "-") != "-"}
    told = {fault for fault, _ in UNFIXED}
    assert sorted(fault for fault in rewritten - told if not has_fix(fault)) == []
    assert sorted(told - rewritten) == []
