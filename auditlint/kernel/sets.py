"""Sets of unsigned 32-bit numbers that conjunctions of conditions denote, decided exactly.

Order and equality give intervals; `&` and `&=` ask for bits. See docs/match.md and spec of the operators in
audit_comparator(), kernel/auditfilter.c.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, replace
from auditlint.kernel.event import U32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from auditlint.auditctl.model import Operator

    Intervals: TypeAlias = tuple[tuple[int, int], ...]

FULL: Intervals = ((0, U32),)
NEGATED: Mapping[str, Operator] = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def denoted(op: str, value: int) -> Intervals:
    """The numbers that satisfy `op value`, for equality and order; none for another operator."""
    if op == "=":
        return ((value, value),)
    if op == "!=":
        return _cut(((0, value - 1), (value + 1, U32)))
    if op == "<":
        return _cut(((0, value - 1),))
    if op == "<=":
        return ((0, value),)
    if op == ">":
        return _cut(((value + 1, U32),))
    return ((value, U32),) if op == ">=" else ()


def _cut(intervals: Intervals) -> Intervals:
    return tuple((lo, hi) for lo, hi in intervals if lo <= hi and hi >= 0 and lo <= U32)


def intersect(left: Intervals, right: Intervals) -> Intervals:
    """The numbers in both."""
    if left is FULL:
        return right
    if right is FULL:
        return left
    return tuple(
        (max(lo, low), min(hi, high)) for lo, hi in left for low, high in right if max(lo, low) <= min(hi, high)
    )


@dataclass(frozen=True, slots=True)
class Numbers:
    """A set of numbers: those in the intervals that have all bits of `must`, none of `forbid`, and for each
    element of `some` at least one of its bits."""

    intervals: Intervals = FULL
    must: int = 0
    some: tuple[int, ...] = ()
    forbid: int = 0

    def given(self, op: str, value: int) -> Numbers:
        """Those that also satisfy a condition; an unknown operator is never satisfied."""
        if op == "&":
            return Numbers(self.intervals, self.must, (*self.some, value), self.forbid)
        if op == "&=":
            return Numbers(self.intervals, self.must | value, self.some, self.forbid)
        return Numbers(intersect(self.intervals, denoted(op, value)), self.must, self.some, self.forbid)

    def without(self, op: str, value: int) -> Iterator[Numbers]:
        """Those that do not satisfy a condition, as a union of sets."""
        if op == "&":
            yield replace(self, forbid=self.forbid | value)
        elif op == "&=":
            for bit in range(32):
                if value >> bit & 1:
                    yield replace(self, forbid=self.forbid | 1 << bit)
        elif op in NEGATED:
            yield self.given(NEGATED[op], value)
        else:
            yield self

    def member(self) -> int | None:
        """Some element, or None when the set is empty.

        Every wish but the upper end of an interval is for more bits or for bits that must not be there. So it
        is enough to try, for each interval, its upper end and the numbers that share a front with it, have 0
        where it has 1, and all allowed bits behind: each element below the end has no bit that one of these
        has not.
        """
        if self.must & self.forbid:
            return None
        allowed = U32 & ~self.forbid
        for lo, hi in self.intervals:
            if not self.must and not self.some and not self.forbid:
                return lo
            for number in _highest(hi, allowed):
                if number < lo:
                    continue
                if number & self.must == self.must and all(number & bits for bits in self.some):
                    return number
        return None

    def __bool__(self) -> bool:
        return self.member() is not None

    def implies(self, op: str, value: int) -> bool:
        """Whether every element satisfies the condition."""
        return not any(self.without(op, value))

    def inside(self, other: Numbers) -> bool | None:
        """Whether this set is part of another, when its intervals tell it at once; else None."""
        if self == other:
            return True
        if other.must or other.some or other.forbid:
            return None
        if all(any(low <= lo and hi <= high for low, high in other.intervals) for lo, hi in self.intervals):
            return True
        return None if self.must or self.some or self.forbid else False

    @property
    def single(self) -> int | None:
        """The only element, when the intervals leave one."""
        if len(self.intervals) == 1 and self.intervals[0][0] == self.intervals[0][1]:
            return self.intervals[0][0]
        return None

    def first(self, count: int) -> list[int]:
        """The lowest elements, for sets without bit conditions."""
        found: list[int] = []
        for lo, hi in self.intervals:
            found += range(lo, min(hi, lo + count - len(found) - 1) + 1)
            if len(found) >= count:
                break
        return found


def both(left: Numbers, right: Numbers) -> Numbers:
    """The numbers in both sets."""
    return Numbers(
        intersect(left.intervals, right.intervals),
        left.must | right.must,
        left.some + right.some,
        left.forbid | right.forbid,
    )


def _highest(hi: int, allowed: int) -> Iterator[int]:
    """The greatest numbers up to `hi`, by the place where they leave its bits, with allowed bits only."""
    if not hi & ~allowed:
        yield hi
    for bit in range(31, -1, -1):
        if hi >> bit & 1:
            front = hi >> (bit + 1) << (bit + 1)
            if not front & ~allowed:
                yield front | (allowed & ((1 << bit) - 1))
