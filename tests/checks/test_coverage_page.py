"""docs/checks/coverage.md has one line for every fault of the catalogue: a check, or the reason why there is none."""

import re
from pathlib import Path

from auditlint.data import read_text

ROOT = Path(__file__).resolve().parent.parent.parent
KNOWN = [
    line for line in (Path(__file__).parent / "fault-ids.txt").read_text().splitlines() if not line.startswith("#")
]
ROWS = re.findall(r"^\| ([a-z0-9-]+) \| (.+) \|$", read_text("pages/coverage.md"), re.MULTILINE)[1:]


def test_catalogue_has_all_faults():
    assert len(KNOWN) == len(set(KNOWN)) == 171


def test_every_fault_has_one_line():
    found = [fault for fault, _ in ROWS]
    assert sorted(fault for fault in set(found) if found.count(fault) > 1) == []
    assert sorted(set(found) - set(KNOWN)) == []
    assert sorted(set(KNOWN) - set(found)) == []


def test_lines_name_a_check_or_a_reason():
    assert [fault for fault, text in ROWS if not re.search(r"AL\d{3}|left out", text)] == []
