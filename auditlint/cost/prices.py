"""Prices in instructions, by kernel line: data of `rulesets/cost/`, with what is known about their reach."""

from __future__ import annotations

from functools import lru_cache

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.core.target import DEFAULT_KERNEL, NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.core.target import Target

MEASURED_MACHINE = "x86_64"


@dataclass(frozen=True, slots=True)
class Base:
    """A measured operation without the walk over rules, in instructions (columns of `bases.tsv`).

    `off`: audit=0. `on`: auditing on, no rule. `first`: some rule is loaded. `marks`: what file notification
    marks add. `noise`: how far single measurements lie from these medians.
    """

    off: float
    on: float
    first: float
    marks: float
    noise: float


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices that serve a target.

    `line` is the measured kernel line, `spread` the share by which the added part may be off because the
    target itself was not measured (0 when it was), `remarks` say so. `values` are the prices of
    `prices.tsv`; `bases` the measured operations, `user_bases` the same for uid 1000; `events` the price of
    a record by (record type, state of the daemon). `beside` are measured lines whose results the bounds must hold,
    too, because the target's own line was not measured. `foreign` names a machine that was not measured: its
    bounds are not known.
    """

    line: str
    version: str
    spread: float
    remarks: tuple[str, ...]
    values: Mapping[str, float]
    bases: Mapping[str, Base]
    user_bases: Mapping[str, Base]
    events: Mapping[tuple[str, str], float]
    beside: tuple[str, ...] = ()
    foreign: str = ""


def prices(target: Target, line: str | None = None) -> Prices:
    """The prices for a target: those of its kernel line, or of the nearest measured line with a wider interval.

    `line` asks for a measured line instead.
    """
    return _prices(line or target.kernel, target.machine)


@lru_cache(maxsize=8)
def _prices(kernel: str, machine: str) -> Prices:
    table = [(line, since, full, float(spread)) for line, since, full, spread in rows("cost/lines.tsv")]
    lines = [row[0] for row in table]
    line, _, full, spread = table[-1]
    remarks = []
    beside: tuple[str, ...] = ()
    if kernel in lines:
        line, _, full, spread = table[lines.index(kernel)]
        spread = 0.0
    else:
        if kernel != NO_KERNEL:
            line, _, full, spread = [row for row in table if version(row[1]) <= version(kernel)][-1]
        beside = _beside(kernel, line, lines)
        what = f"kernel {kernel} was not measured"
        if kernel == NO_KERNEL:
            what = f"kernel {NO_KERNEL} is no kernel that runs anywhere (--kernel names one)"
        elif version(kernel) > version(DEFAULT_KERNEL):
            what += f", and nothing is known of kernels after {DEFAULT_KERNEL}"
        remarks.append(
            f"{what}: prices of the nearest measured line, {line}; the interval holds what {' and '.join(beside)} "
            f"{'costs' if len(beside) == 1 else 'cost'}, too, and {spread:.0%} of the added part"
        )
    foreign = machine if machine != MEASURED_MACHINE else ""
    if foreign:
        remarks.append(
            f"{machine} was not measured: prices of {MEASURED_MACHINE} stand in; how far they are off is not known, so "
            "nothing is said of bounds"
        )
        spread += 0.18
    column = lines.index(line)
    values = {row[0]: float(row[1 + column]) for row in rows("cost/prices.tsv")}
    events = {(row[0], row[1]): float(row[2 + column]) for row in rows("cost/events.tsv")}
    bases, users = {}, {}
    for name, of, *cells in rows("cost/bases.tsv"):
        if of == line:
            off, on, first, marks, user, noise = map(float, cells)
            bases[name] = Base(off, on, first, marks, noise)
            shift = user - on
            users[name] = Base(off + shift, user, first + shift, marks, noise)
    return Prices(line, full, spread, tuple(remarks), values, bases, users, events, beside, foreign)


def unmeasured(found: Prices) -> str:
    """What is not known of a machine that was not measured; empty for the measured one."""
    return f"instructions on {found.foreign}" if found.foreign else ""


def _beside(kernel: str, line: str, lines: list[str]) -> tuple[str, ...]:
    """The other measured lines next to a kernel: one on its other side, or the nearest one beyond its own."""
    at = lines.index(line)
    later = kernel == NO_KERNEL or version(kernel) > version(line)
    other = at + 1 if later else at - 1
    if not 0 <= other < len(lines):
        other = at - 1 if later else at + 1
    return (lines[other],)
