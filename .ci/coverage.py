"""Fail when a room that everything stands on is covered by less than 95 % of its lines or its branches.

usage: coverage.py COVERAGE.json
"""

import json
import sys
from pathlib import Path

LEAST = 95.0
ROOMS = ("auditlint/auditctl/", "auditlint/load/program.py")


def main() -> int:
    files = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    status = 0
    for room in ROOMS:
        parts = [entry["summary"] for name, entry in files.items() if name.startswith(room)]
        for what, covered, total in (
            ("lines", "covered_lines", "num_statements"),
            ("branches", "covered_branches", "num_branches"),
        ):
            have, want = sum(part[covered] for part in parts), sum(part[total] for part in parts)
            percent = 100.0 * have / want if want else 0.0
            enough = percent >= LEAST
            status |= not enough
            verdict = "" if enough else f"  less than {LEAST:g} %"
            print(f"{room:28} {what:9} {have:5} of {want:5}  {percent:6.2f} %{verdict}")
    return status


if __name__ == "__main__":
    sys.exit(main())
