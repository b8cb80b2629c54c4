"""Prices in instructions, by kernel line: data of `rulesets/cost/`, with what is known about their reach."""

from __future__ import annotations

from functools import cache, lru_cache

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
    a record by (record type, state of the daemon), and events of one kind differ by the share `event_spread`.
    `beside` are measured lines whose results the bounds must hold, too, because the target's own line was not
    measured. `foreign` names a machine that was not measured: its bounds are not known.
    """

    line: str
    version: str
    spread: float
    remarks: tuple[str, ...]
    values: Mapping[str, float]
    bases: Mapping[str, Base]
    user_bases: Mapping[str, Base]
    events: Mapping[tuple[str, str], float]
    event_spread: float
    beside: tuple[str, ...] = ()
    foreign: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """A row of `rulesets/cost/lines.tsv`: a measured kernel line, the oldest line that it serves, the version that
    was measured, and how far the added part (`spread`) and events (`event_spread`) may be off, as shares."""

    line: str
    since: str
    version: str
    spread: float
    event_spread: float


@cache
def measured_lines() -> tuple[MeasuredLine, ...]:
    """The measured kernel lines, in the order of the columns of `prices.tsv` and `events.tsv`."""
    return tuple(
        MeasuredLine(line, since, full, float(spread), float(events))
        for line, since, full, spread, events in rows("cost/lines.tsv")
    )


def prices(target: Target, line: str | None = None) -> Prices:
    """The prices for a target: those of its kernel line, or of the nearest measured line with a wider interval.

    `line` asks for a measured line instead.
    """
    return _prices(line or target.kernel, target.machine)


@lru_cache(maxsize=8)
def _prices(kernel: str, machine: str) -> Prices:
    table = measured_lines()
    lines = [measured.line for measured in table]
    serving = table[-1]
    remarks = []
    beside: tuple[str, ...] = ()
    spread = 0.0
    if kernel in lines:
        serving = table[lines.index(kernel)]
    else:
        if kernel != NO_KERNEL:
            serving = [measured for measured in table if version(measured.since) <= version(kernel)][-1]
        spread = serving.spread
        beside = _beside(kernel, serving.line, lines)
        what = f"kernel {kernel} was not measured"
        if kernel == NO_KERNEL:
            what = f"kernel {NO_KERNEL} cannot be priced; choose one with --kernel"
        elif version(kernel) > version(DEFAULT_KERNEL):
            what += f", and nothing is known of kernels after {DEFAULT_KERNEL}"
        remarks.append(
            f"{what}: prices of the nearest measured line, {serving.line}; the interval holds what "
            f"{' and '.join(beside)} {'costs' if len(beside) == 1 else 'cost'}, too, and {spread:.0%} of the added part"
        )
    foreign = machine if machine != MEASURED_MACHINE else ""
    if foreign:
        remarks.append(
            f"{machine} was not measured: prices of {MEASURED_MACHINE} stand in; how far they are off is not known, so "
            "nothing is said of bounds"
        )
        spread += 0.18
    column = lines.index(serving.line)
    values = {row[0]: float(row[1 + column]) for row in rows("cost/prices.tsv")}
    events = {(row[0], row[1]): float(row[2 + column]) for row in rows("cost/events.tsv")}
    bases, users = {}, {}
    for name, of, *cells in rows("cost/bases.tsv"):
        if of == serving.line:
            off, on, first, marks, user, noise = map(float, cells)
            bases[name] = Base(off, on, first, marks, noise)
            shift = user - on
            users[name] = Base(off + shift, user, first + shift, marks, noise)
    return Prices(
        line=serving.line,
        version=serving.version,
        spread=spread,
        remarks=tuple(remarks),
        values=values,
        bases=bases,
        user_bases=users,
        events=events,
        event_spread=serving.event_spread,
        beside=beside,
        foreign=foreign,
    )


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
