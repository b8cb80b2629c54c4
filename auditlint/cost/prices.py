"""Prices in instructions, by kernel line: data of `rulesets/cost/`, with what is known about their reach."""

from __future__ import annotations

from functools import lru_cache

from auditlint.data import rows
from auditlint.frozen import dataclass
from auditlint.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.target import Target

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
    a record by (record type, state of the daemon).
    """

    line: str
    version: str
    spread: float
    remarks: tuple[str, ...]
    values: Mapping[str, float]
    bases: Mapping[str, Base]
    user_bases: Mapping[str, Base]
    events: Mapping[tuple[str, str], float]


def prices(target: Target) -> Prices:
    """The prices for a target: those of its kernel line, or of the nearest measured line with a wider interval."""
    return _prices(target.kernel, target.machine)


@lru_cache(maxsize=8)
def _prices(kernel: str, machine: str) -> Prices:
    table = [(line, since, full, float(spread)) for line, since, full, spread in rows("cost/lines.tsv")]
    lines = [row[0] for row in table]
    line, _, full, spread = table[-1]
    remarks = []
    if kernel in lines:
        line, _, full, spread = table[lines.index(kernel)]
        spread = 0.0
    else:
        if kernel != NO_KERNEL:
            line, _, full, spread = [row for row in table if version(row[1]) <= version(kernel)][-1]
        remarks.append(
            f"kernel {kernel} was not measured: prices of the nearest measured line, {line}; interval widened by "
            f"{spread:.0%} of the added part"
        )
    if machine != MEASURED_MACHINE:
        remarks.append(f"{machine} was not measured: prices of {MEASURED_MACHINE}, interval widened by 18%")
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
    return Prices(line, full, spread, tuple(remarks), values, bases, users, events)
