"""How often `auditlint match` says what real kernels did: `python -m tests.kernel.compare_decisions DECISIONS`.

DECISIONS holds `operations-VERSION.jsonl` and `decisions-VERSION.jsonl`. One line a kernel for the random (d) and the
hand-made (h) sets: operations judged one by one on freshly loaded rules, and in the order in which they were done, with
`--in-order`. An operation counts when all its events, keys and records are right. Exits 1 when less than 98 % are right
in order.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.kernel import lab


def main(folder: Path) -> int:
    low = False
    for kernel in lab.KERNELS:
        data = lab.shared_data(folder.parent, kernel)
        for group in ("d", "h"):
            for in_order in (False, True):
                right, total, missed = count(data, group, in_order)
                share = 100 * right / total
                way = "in order" if in_order else "fresh"
                print(f"{kernel:5} {group}  {way:8}  {right:5} of {total}  {share:6.2f} %  {' '.join(missed)}".rstrip())
                low = low or (in_order and share < 98)
    return int(low)


def count(data: lab.Data, group: str, in_order: bool) -> tuple[int, int, list[str]]:
    """Operations that are right, all operations, and the sets with one that is not."""
    right = total = 0
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for chosen in data.sets:
            if chosen["id"].startswith(group):
                answers = lab.match_command(data, chosen, Path(folder), in_order)
                good = sum(answer == real for answer, real in answers)
                right += good
                total += len(answers)
                if good < len(answers):
                    missed.append(chosen["id"])
    return right, total, missed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
