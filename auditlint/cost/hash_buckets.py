"""Hash buckets without inode numbers: what to expect, and between which bounds.

The inode hash has 32 buckets (AUDIT_INODE_BUCKETS, include/linux/audit.h); a file lands in one of them by its inode
number. Where the numbers are not known, each file shares the bucket of a given name with a chance of one in 32.
"""

from __future__ import annotations

from auditlint.kernel.storage import BUCKETS

CHANCE = 1 / BUCKETS
_LEFT_OUT = 0.01
"""Bounds leave out one per cent of the cases at either end."""


def quantile(count: int, share: float) -> int:
    """The smallest n so that at most n of `count` files are in one given bucket, with the probability `share`."""
    probability = (1 - CHANCE) ** count
    below = probability
    n = 0
    while below < share and n < count:
        n += 1
        probability *= (count - n + 1) / n * CHANCE / (1 - CHANCE)
        below += probability
    return n


def bounds(files: int, each: float, together: float) -> tuple[float, float]:
    """Least and most that the rules on a bucket cost, but for one case in fifty.

    `files` files exist, each with rules of the price `each`, and fall into buckets of their own; `together` is the
    price of all rules whose file is missing: they share one bucket, so that a name meets all of them or none.
    """
    low = each * quantile(files, _LEFT_OUT)
    high = each * quantile(files, 1 - _LEFT_OUT)
    if together:
        # All of them are met with a chance of 1 in 32; of that, the fewest others that leave out one per cent.
        high = max(high, together + each * quantile(files, 1 - _LEFT_OUT * BUCKETS))
    return low, high
